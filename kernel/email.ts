/** The longest that one can be (RFC 5321). */
export const emailMax = 254;
const emailForm = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** A name, @ and a host: only a message to it would show more. */
export const isEmail = (text: string): boolean => emailForm.test(text) && text.length <= emailMax;
