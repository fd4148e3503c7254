/**
 * Unicode simple case folding (contract 3.7, rule 1): two texts are equal without regard to case
 * exactly when their folded forms are equal, and folding goes code point by code point, so
 * substrings fold to substrings. Which member stands for a class is our choice: only equality
 * counts. Nothing else is normalised.
 */
export const foldCase = (text: string): string => {
  if (ascii.test(text)) return text.toLowerCase();
  const folds = caseFoldings();
  let folded = '';
  for (const character of text) folded += folds.get(character) ?? character;
  return folded;
};

// oxlint-disable-next-line no-control-regex -- All of ASCII is meant, controls included.
const ascii = /^[\u0000-\u007f]*$/;

/**
 * Simple case foldings of Unicode 17: runs of code points, each `first:distance`, the first one
 * hexadecimal, with `+count` where the following ones fold by that distance too, and `/count`
 * where every second one does. A table, since taking it from the runtime's `iu` matching delays
 * every start; a test compares it with that. Not `toLowerCase`, which maps ſ, ς and K otherwise and
 * İ to two code points.
 */
const foldingRuns = `
  41+26:32 b5:775 c0+23:32 d8+7:32 100/24:1 132/3:1 139/8:1 14a/23:1 178:-121 179/3:1 17f:-268
  181:210 182/2:1 186:206 187:1 189+2:205 18b:1 18e:79 18f:202 190:203 191:1 193:205 194:207
  196:211 197:209 198:1 19c:211 19d:213 19f:214 1a0/3:1 1a6:218 1a7:1 1a9:218 1ac:1 1ae:218
  1af:1 1b1+2:217 1b3/2:1 1b7:219 1b8:1 1bc:1 1c4:2 1c5:1 1c7:2 1c8:1 1ca:2 1cb/9:1 1de/9:1
  1f1:2 1f2/2:1 1f6:-97 1f7:-56 1f8/20:1 220:-130 222/9:1 23a:10795 23b:1 23d:-163 23e:10792
  241:1 243:-195 244:69 245:71 246/5:1 345:116 370/2:1 376:1 37f:116 386:38 388+3:37 38c:64
  38e+2:63 391+17:32 3a3+9:32 3c2:1 3cf:8 3d0:-30 3d1:-25 3d5:-15 3d6:-22 3d8/12:1 3f0:-54
  3f1:-48 3f4:-60 3f5:-64 3f7:1 3f9:-7 3fa:1 3fd+3:-130 400+16:80 410+32:32 460/17:1 48a/27:1
  4c0:15 4c1/7:1 4d0/48:1 531+38:48 10a0+38:7264 10c7:7264 10cd:7264 13a0+80:38864 13f0+6:8
  1c80:-6222 1c81:-6221 1c82:-6212 1c83+2:-6210 1c85:-6211 1c86:-6204 1c87:-6180 1c88:35267
  1c89:1 1c90+43:-3008 1cbd+3:-3008 1e00/75:1 1e9b:-58 1e9e:-7615 1ea0/48:1 1f08+8:-8
  1f18+6:-8 1f28+8:-8 1f38+8:-8 1f48+6:-8 1f59/4:-8 1f68+8:-8 1f88+8:-8 1f98+8:-8 1fa8+8:-8
  1fb8+2:-8 1fba+2:-74 1fbc:-9 1fbe:-7173 1fc8+4:-86 1fcc:-9 1fd3:-7235 1fd8+2:-8 1fda+2:-100
  1fe3:-7219 1fe8+2:-8 1fea+2:-112 1fec:-7 1ff8+2:-128 1ffa+2:-126 1ffc:-9 2126:-7517
  212a:-8383 212b:-8262 2132:28 2160+16:16 2183:1 24b6+26:26 2c00+48:48 2c60:1 2c62:-10743
  2c63:-3814 2c64:-10727 2c67/3:1 2c6d:-10780 2c6e:-10749 2c6f:-10783 2c70:-10782 2c72:1
  2c75:1 2c7e+2:-10815 2c80/50:1 2ceb/2:1 2cf2:1 a640/23:1 a680/14:1 a722/7:1 a732/31:1
  a779/2:1 a77d:-35332 a77e/5:1 a78b:1 a78d:-42280 a790/2:1 a796/10:1 a7aa:-42308 a7ab:-42319
  a7ac:-42315 a7ad:-42305 a7ae:-42308 a7b0:-42258 a7b1:-42282 a7b2:-42261 a7b3:928 a7b4/8:1
  a7c4:-48 a7c5:-42307 a7c6:-35384 a7c7/2:1 a7cb:-42343 a7cc/8:1 a7dc:-42561 a7f5:1 fb06:-1
  ff21+26:32 10400+40:40 104b0+36:40 10570+11:39 1057c+15:39 1058c+7:39 10594+2:39 10c80+51:64
  10d50+22:32 118a0+32:32 16e40+32:32 16ea0+25:27 1e900+34:34
`;
let cachedFoldings: ReadonlyMap<string, string> | null = null;

/** Every code point that folds to another one, with that one. */
export const caseFoldings = (): ReadonlyMap<string, string> => {
  cachedFoldings ??= readFoldings();
  return cachedFoldings;
};

const readFoldings = (): ReadonlyMap<string, string> => {
  const folds = new Map<string, string>();
  for (const run of foldingRuns.trim().split(/\s+/)) {
    const [, first = '', step = '', count = '1', distance = ''] = runForm.exec(run) ?? [];
    for (let at = 0; at < Number(count); at += 1) {
      const code = Number.parseInt(first, 16) + at * (step === '/' ? 2 : 1);
      folds.set(String.fromCodePoint(code), String.fromCodePoint(code + Number(distance)));
    }
  }
  return folds;
};
const runForm = /^([0-9a-f]+)(?:([+/])(\d+))?:(-?\d+)$/;
