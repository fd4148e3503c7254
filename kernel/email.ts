/** Longest email address (RFC 5321). */
export const emailMax = 254;
const emailForm = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** True for name, @ and host; only a message to the address could prove more. */
export const isEmail = (text: string): boolean => emailForm.test(text) && text.length <= emailMax;
