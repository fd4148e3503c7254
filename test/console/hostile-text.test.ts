import { expect } from 'chai';
import * as fc from 'fast-check';
import { readDataUrl } from '../../console/parts/data-url.js';
import { fileNameOf, shownText, typeableName } from '../../console/parts/hostile-text.js';
import { markNode } from '../../console/parts/marked-nodes.js';
import { foldText } from '../../console/parts/text-folding.js';
import { cpuTime } from '../support/cpu-time.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';
import { anyUtf16 } from './any-text.js';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const dataUrl = (media: string, bytes: Buffer): string =>
  `data:${media};base64,${bytes.toString('base64')}`;

/** The pieces as one text, each kind in its own brackets. */
const drawn = (text: string): string =>
  shownText(text)
    .pieces.map((piece) => {
      if (piece.is === 'text')
        return piece.colour === null ? piece.text : `{${piece.colour} ${piece.text}}`;
      if (piece.is === 'data') return `[${piece.data.label}]`;
      return piece.is === 'link' ? `<${piece.text}>` : piece.text;
    })
    .join('');

describe('a recorded text', () => {
  it('shows what cannot be seen as marks, and counts them', () => {
    const tag = String.fromCodePoint(0xe0041);
    expect(drawn(`a\u202eb${tag}\u200bc\u0000\ud800`)).to.equal(
      'a⟨U+202E⟩b⟨U+E0041⟩⟨U+200B⟩c⟨U+0000⟩⟨U+D800⟩',
    );
    expect(shownText(`a\u202eb${tag}\u200b`).hidden).to.equal(3);
    expect(shownText('plain\ttext\r\nof lines\n').pieces).to.deep.equal([
      { is: 'text', text: 'plain\ttext\r\nof lines\n', colour: null },
    ]);
    // A carriage return alone overwrites a line in a terminal.
    expect(drawn('99 %\r100 %')).to.equal('99 %⟨U+000D⟩100 %');
    expect(drawn('\u2066\u2067\u2068\u2069\u200e\u200f\u061c\ufeff\u2060\u00ad\u3164')).to.equal(
      '⟨U+2066⟩⟨U+2067⟩⟨U+2068⟩⟨U+2069⟩⟨U+200E⟩⟨U+200F⟩' +
        '⟨U+061C⟩⟨U+FEFF⟩⟨U+2060⟩⟨U+00AD⟩⟨U+3164⟩',
    );
  });

  it('marks names in the nodes of a page, and the attributes that are read aloud', () => {
    const evil = 'a\u202eb\u200b';
    const marked = 'a⟨U+202E⟩b⟨U+200B⟩';
    const props = {
      value: evil,
      title: evil,
      'aria-label': evil,
    };
    markNode({ type: 'button', props });
    expect(props).to.deep.equal({ value: evil, title: marked, 'aria-label': marked });
    markNode({ type: 'button', props });
    expect(props.title).to.equal(marked);
    const seen = '👩\u200d🚀 https://a.b/?c#d data:a/b;base64,AAAA';
    for (const [text, shown] of [
      [evil, marked],
      [marked, marked],
      [seen, seen],
    ] as const) {
      const node = { type: null, props: text };
      markNode(node);
      expect(node.props).to.equal(shown);
    }
    expect(typeableName(` a\u202e \u200b b\n`)).to.equal('a b');
  });

  it('names a file by what can be seen, in no folder', () => {
    expect(fileNameOf('sales\u202egpj.exe/../c:\\d')).to.equal('salesgpj.exe_.._c__d');
    expect(fileNameOf('\u200b')).to.equal('export');
    expect(fileNameOf('👩'.repeat(300))).to.equal('👩'.repeat(100));
  });

  it('leaves joiners and variations where emoji and words need them', () => {
    for (const text of [
      '👩\u200d🚀',
      '❤\ufe0f\u200d🔥',
      '👍🏽',
      '1\ufe0f\u20e3',
      'می\u200cخواهم',
      'क्\u200dष',
    ]) {
      expect(drawn(text)).to.equal(text);
    }
    expect(drawn('a\u200db')).to.equal('a⟨U+200D⟩b');
    expect(drawn('\ufe0fa\ufe0f\ufe0e')).to.equal('⟨U+FE0F⟩a\ufe0f⟨U+FE0E⟩');
  });

  it('shows colours of terminals as eight classes, and their other codes', () => {
    expect(drawn('\u001b[1;31merror\u001b[0m: \u001b[92mok\u001b[39m')).to.equal(
      '{red error}: {green ok}',
    );
    expect(drawn('\u001b[38;5;196mx\u001b[38;2;0;0;255my\u001b[m.')).to.equal('{red x}{blue y}.');
    expect(drawn('\u001b[48;5;1mx\u001b[4;9mx\u001b[0m')).to.equal('xx');
    expect(drawn('a\u001b[2Jb\u001b]8;;http\u0007')).to.equal('a␛[2Jb␛]8;;http⟨U+0007⟩');
    expect(drawn('\u001b[38;9m')).to.equal('␛[38;9m');
    // Text that a terminal would hide is seen.
    expect(drawn('\u001b[8msecret\u001b[0m')).to.equal('secret');
  });

  it('links addresses of the web alone, as they open', () => {
    expect(drawn('see (https://example.org/a?b=c), or HTTPS.')).to.equal(
      'see (<https://example.org/a?b=c>), or HTTPS.',
    );
    expect(drawn('https://exämple.org')).to.equal('<https://xn--exmple-cua.org/>');
    for (const text of [
      'javascript:alert(1)',
      'ftp://example.org',
      'https://bank.example@evil.example/',
      'https://',
      'data:text/html,<script>alert(1)</script>',
    ]) {
      expect(drawn(text)).to.equal(text);
    }
    expect(drawn('https://example.org/\u202egpj.exe')).to.equal(
      '<https://example.org/>⟨U+202E⟩gpj.exe',
    );
  });

  it('knows images by their first bytes, up to 5 MB, and folds other data', () => {
    expect(readDataUrl(dataUrl('image/png', png))).to.deep.equal({
      label: 'PNG, 16 B',
      bytes: 16,
      image: dataUrl('image/png', png),
    });
    const begins = {
      'image/jpeg': 'ffd8ffe000104a46',
      'image/gif': '474946383961',
      'image/webp': '524946461a00000057454250',
    };
    for (const [media, begin] of Object.entries(begins)) {
      const bytes = Buffer.concat([Buffer.from(begin, 'hex'), Buffer.alloc(20)]);
      expect(readDataUrl(dataUrl(media, bytes))?.image, media).to.be.a('string');
      expect(readDataUrl(dataUrl('image/png', bytes))?.image, media).to.equal(null);
    }
    const large = Buffer.concat([png, Buffer.alloc(5 * 1_048_576)]);
    expect(readDataUrl(dataUrl('image/png', large))).to.deep.include({ image: null });
    expect(readDataUrl(dataUrl('image/png', large.subarray(16)))).to.deep.include({ image: null });
    const svg = Buffer.from('<svg onload="alert(1)"/>');
    expect(readDataUrl(dataUrl('image/svg+xml', svg))).to.deep.equal({
      label: 'image/svg+xml, 24 B',
      bytes: 24,
      image: null,
    });
    expect(readDataUrl('data:image/png;charset=x;base64,iVBORw0KGgo')?.image).to.equal(
      'data:image/png;base64,iVBORw0KGgo',
    );
    expect(readDataUrl('data:__proto__/a;base64,AAAA')?.image).to.equal(null);
    expect(drawn(`{"url":"${dataUrl('image/png', png)}"}`)).to.equal('{"url":"[PNG, 16 B]"}');
  });

  it('folds beyond 2,000 characters or 40 lines, and opens a reader beyond 100 KB', () => {
    expect(foldText('a'.repeat(2_000))).to.equal(null);
    expect(foldText('a\n'.repeat(39) + 'a')).to.equal(null);
    expect(foldText('é'.repeat(2_001))).to.deep.equal({
      head: 'é'.repeat(2_000),
      characters: 2_001,
      lines: 1,
      opens: 'rest',
    });
    expect(foldText('🎉'.repeat(2_001))?.head).to.equal('🎉'.repeat(2_000));
    expect(foldText('a\n'.repeat(41))).to.deep.equal({
      head: 'a\n'.repeat(39) + 'a',
      characters: 82,
      lines: 42,
      opens: 'rest',
    });
    expect(foldText('é'.repeat(51_201))?.opens).to.equal('reader');
    // An image counts as what is shown of it, and is never cut.
    const image = dataUrl('image/png', Buffer.concat([png, Buffer.alloc(200_000)]));
    expect(foldText(`${'a'.repeat(1_999)}${image}`)).to.equal(null);
    expect(foldText(`${image} ${'a'.repeat(2_000)}`)?.head).to.equal(
      `${image} ${'a'.repeat(1_998)}`,
    );
  });

  it('keeps every character of a plain text, seen or as its mark', () => {
    const piece = fc.constantFrom(
      '\u001b',
      '\u202e',
      '\u200d',
      '\ufe0f',
      '👩',
      'א',
      '\r',
      '\r\n',
      'a',
    );
    const texts = fc.array(fc.oneof(piece, anyUtf16(4)));
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('').replaceAll('\u001b[', '');
        const { pieces, hidden } = shownText(text);
        const again = pieces.map((one) => {
          if (one.is === 'mark') return characterOf(one.text);
          return one.is === 'text' ? one.text : '';
        });
        expect(again.join('')).to.equal(text);
        expect(hidden).to.equal(pieces.filter(({ is }) => is === 'mark').length);
      }),
      options('plain texts'),
    );
  });

  it('shows no control of direction and no tag, in any text, and folds it by its beginning', () => {
    const piece = fc.constantFrom(
      '\u001b[31m',
      '\u001b[0m',
      '\u001b[',
      '\u202e',
      '\u{e0041}',
      'https://a.example/',
      'data:image/png;base64,AAAA',
      'data:',
      'line\n'.repeat(15),
      'a'.repeat(900),
    );
    const texts = fc.array(fc.oneof(piece, anyUtf16(4)));
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        for (const one of shownText(text).pieces) {
          if (one.is !== 'data') expect(one.text).not.to.equal('');
          if (one.is === 'text')
            expect(one.text).not.to.match(/[\p{Bidi_C}\u{e0000}-\u{e0fff}\0]/u);
        }
        const folded = foldText(text);
        expect(folded === null || text.startsWith(folded.head)).to.equal(true);
      }),
      options('hostile texts'),
    );
  });

  it('reads long runs of one mark, and long lists of parameters, in one pass', () => {
    const address = `https://x.example/${'.'.repeat(1_000_000)}a`;
    expect(shownText(`${address}.`).pieces).to.deep.equal([
      { is: 'link', text: address },
      { is: 'text', text: '.', colour: null },
    ]);
    const parameters = `data:a/b${';a'.repeat(5_000_000)};base64,AAAA`;
    expect(shownText(parameters).pieces).to.have.length(1);
    expect(foldText(parameters)?.opens).to.equal('reader');
  });

  it('takes time that grows with the length of the text', () => {
    const parts = ['data:', 'https://', '\u001b[', '\u001b[1;', 'data:a/b;c', ';base64,', '\u202e'];
    for (const part of parts) {
      const spent = cpuTime();
      shownText(part.repeat(20_000));
      foldText(part.repeat(20_000));
      expect(spent(), part).to.be.below(2_000);
    }
  });
});

const options = (what: string) => ({ seed: drawSeed(what), numRuns: runs(1_000) });

const characterOf = (mark: string): string => {
  const [, code] = /U\+([0-9A-F]+)/.exec(mark) ?? [];
  return code === undefined ? '\u001b' : String.fromCodePoint(Number.parseInt(code, 16));
};
