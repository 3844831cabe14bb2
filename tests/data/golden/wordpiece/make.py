#!/usr/bin/env python3
"""Writes vocab.txt and cases.txt: texts, and the ids that Hugging Face's fast BERT tokenizer gives them.

    tests/data/golden/wordpiece/make.py REFERENCE

REFERENCE is reference.rs as a program: the steps of huggingface/tokenizers 3ba8ad0 (normalizers/bert.rs,
pre_tokenizers/bert.rs, models/wordpiece), written over the same crates, unicode_categories 0.1.1 and
unicode-normalization 0.1.12 (whose tables the tokenizer's fork unicode-normalization-alignments 0.1.12 has), with Rust 1.95.
Both crates are in Debian or public; the programs of the project do not need them. A line of cases.txt has the text's
UTF-8 in hexadecimal, a blank, and its ids separated by commas.
"""

import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def vocabulary():
    tokens = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    tokens += [chr(c) for c in range(33, 127) if not chr(c).isupper()]
    alphabets = letters + "ßæøđłıŋþð" + "αβγδεζηθικλμνξοπρςστυφχψω" + "абвгдежзиклмнопрстуфхцчшщъыьэюя"
    alphabets += "אבגדהוזחטיכלמנסעפצקרשת" + "ابتثجحخدذرزسشصضطظعغفقكلمنهوي" + "कखगतनमरसािी" + "กขคงจนมร"
    alphabets += "".join(chr(c) for c in range(0x1100, 0x1113)) + "".join(chr(c) for c in range(0x1161, 0x1176))
    alphabets += "".join(chr(c) for c in range(0x11A8, 0x11C3)) + "あいうえおかきくさし" + "€£¥©®°²³µ"
    for letter in alphabets:
        tokens += ([letter] if letter not in letters else []) + ["##" + letter]
    tokens += list("一二三中国日本人大学語豈") + list("¡¿«»—–…“”‘’、。") + ["😀", "👍", "❤", "🇩", "##🇪", "👨", "##👩"]
    tokens += ["##\U0001d165\u302e"]  # two marks in canonical order
    tokens += ["hello", "world", "the", "cafe", "naive", "un", "##aff", "##able", "##ffa", "re", "##sum", "##e", "strasse",
               "istanbul", "##ing", "run", "##ning", "angstrom", "##ly", "token", "##izer", "word", "##piece"]
    return list(dict.fromkeys(tokens))


def chosen():
    return [
        "", " ", "hello world", "Hello, WORLD!", "unaffable running", "HELLO\tworld\r\nthe\x0bcafe\x0c", "caf\u00e9 cafe\u0301 CAF\u00c9",
        "na\u00efve r\u00e9sum\u00e9 \u00c5ngstr\u00f6m", "\u0130stanbul istanbul I\u0307", "Stra\u00dfe STRASSE \u1e9e", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2 \u039f\u0394\u039f\u03a3 \u03a3",
        "\u4e2d\u56fd\u65e5\u672c\u8a9e hello\u4eba\u5927\u5b66", "\uf900 \u8c48 \U0002f800 \U0002b820\U0002b920\U0002ceb0", "\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab", "\u3042\u304c\u304d\u3099",
        "\U0001f600\U0001f44d\U0001f3fd", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "\U0001f1e9\U0001f1ea",
        "zero\u200bwidth\u200djoiner\ufeff", "soft\u00adhyphen", "a\u0000b\ufffdc\x7fd\x85e\u2028f\u2029g", "\u00a0no\u00a0break\u3000wide\u2003em",
        "x" * 100, "x" * 101, "\u00e9" * 100, "\u00e9" * 101, "e\u0301" * 100, "hello" * 20, "hello" * 21, "hello " + "q" * 99 + "\u20ac",
        "[CLS] hello [SEP]", "a[SEP]b", "[sep] [MASK [MASK]] [unused0] [UNK]", "[[PAD]]", "[SE\u0000P]", "##ing # ##", "un##aff",
        "\u00bfque? \u00a1no! \u00abl'eau\u00bb \u2014 \u2026 \u201chi\u201d", "a_b-c.d/e@f#g$h%i^j&k*l", "1,234.56\u20ac \u00a33 \u00b2",
        "\u0915\u093f\u0924\u093e\u092c \u0928\u092e\u0938\u094d\u0924\u0947", "\u0e01\u0e34\u0e19", "\u0645\u0631\u062d\u0628\u0627\u064b", "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
        "\u0378\u0379 \U000e0100 \U0010ffff \ue000 \U000f0000", "\u166d \u1734a \u1885b \ua9bdc \U000111c9 d", "\u08d4x \u1ab0y \u1dfbz \u2e43w", "\U0001d15e \U0001d165\U0001d16e",
        "a\u0327\u0301 a\u0301\u0327 \u1e69 s\u0307\u0323", "\u212b \u2126 \u037e \u1fef \u2000", "\ua64a \u1c80 \u10a0 \u13a0 \uab70", "\u01c5 \u01c4 \u01c6 \ufb01", "\u2160 \u24b6 \uff21\uff22",
        "\U00011938 \U00010400 \U0001e900", "\u302e\u302f\u0301a", "a\u302e\U0001d165 a\U0001d165\u302e", "x\U0002b820y x\U0002b920y", "\u0345a\u1fbc",
    ]


def drawn(tokens):
    draw = random.Random(20)
    pieces = [token.replace("##", "") for token in tokens]
    marks = [0x300, 0x301, 0x327, 0x323, 0x345, 0x1D165, 0x302E, 0x200D, 0xFE0F, 0x1AB0, 0x8D4, 0xFFFD, 0xAC01, 0x1100]

    def anything():
        while True:
            point = draw.randrange(0x110000)
            # Capitals of Unicode 16 and 17 are not in every ICU.
            if not 0xD800 <= point < 0xE000 and not 0x10D50 <= point <= 0x10D65 and not 0x16EA0 <= point <= 0x16EB8:
                return chr(point)

    def character():
        share = draw.random()
        if share < 0.3:
            return draw.choice("abcXYZ .,![]#\t\n\r\x00\x0b\x7f")
        if share < 0.5:
            return chr(draw.randrange(0xA0, 0x600))
        if share < 0.6:
            return anything()
        if share < 0.7:
            return chr(draw.choice(marks))
        if share < 0.9:
            return draw.choice(pieces)
        return draw.choice(["[SEP]", "[CLS]", "[MASK", "[UNK]", " ", "hello", "x" * draw.randrange(98, 103)])

    return ["".join(character() for _ in range(draw.randrange(1, 16))) for _ in range(400)]


def main():
    tokens = vocabulary()
    (HERE / "vocab.txt").write_text("".join(token + "\n" for token in tokens), encoding="utf-8")
    texts = [text.encode().hex() for text in chosen() + drawn(tokens)]
    answers = subprocess.run([sys.argv[1], str(HERE / "vocab.txt")], input="\n".join(texts) + "\n", capture_output=True,
                             check=True, text=True).stdout.splitlines()
    lines = [text + " " + ",".join(answer.split("|")[1].split()) for text, answer in zip(texts, answers, strict=True)]
    (HERE / "cases.txt").write_text("\n".join(lines) + "\n")


main()
