#!/bin/bash
# scripts/sample-sentences, scripts/review-sentences (the same seed gives the same sentences, ratings are counted) and
# scripts/pack-records, scripts/paper-tables.
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1" >&2; exit 1; }

draw() { "$source/scripts/sample-sentences" "$source" --count 9 --seed "$1"; }
[ "$(draw 3)" = "$(draw 3)" ] || fail "the same seed gave other sentences"
[ "$(draw 3)" != "$(draw 4)" ] || fail "another seed gave the same sentences"
for kind in message comment document; do
  [ "$(draw 3 | grep -c "^$kind	")" = 3 ] || fail "expected 3 of 9 sentences of the kind $kind"
done
draw 3 | while IFS=$'\t' read -r _ place _; do
  [ -f "$source/${place%:*}" ] || fail "$place is not a file"
done

review="$source/scripts/review-sentences"
"$review" make "$scratch" a="$source/src" b="$source" --count 6 --seed 1 2>"$scratch/err" &&
  fail "a folder without documents was accepted"
"$review" make "$scratch" a="$source" b="$source" --count 6 --seed 1
[ "$(wc -l <"$scratch/sentences.txt")" = 12 ] || fail "expected 12 sentences"
grep -q "$source\|	" "$scratch/sentences.txt" && fail "the raters can see where a sentence comes from"
# Tree a gets 5, tree b gets 2.
awk -F'\t' '{print $1 ". " ($2 == "a" ? 5 : 2)}' "$scratch/key.tsv" >"$scratch/rater.txt"
counted=$("$review" count "$scratch" "$scratch/rater.txt")
grep -q '^a  *5\.00  *0\.00  *100%$' <<<"$counted" || fail "$counted"
grep -q '^b  *2\.00  *0\.00  *0%$' <<<"$counted" || fail "$counted"
[ "$(grep -c '^2\.0  b  ' <<<"$counted")" = 6 ] || fail "expected the six sentences with low ratings"
head -5 "$scratch/rater.txt" >"$scratch/short.txt"
"$review" count "$scratch" "$scratch/short.txt" 2>"$scratch/err" && fail "a rater who left out sentences was counted"
grep -q "expected a rating of each of 12 sentences" "$scratch/err" || fail "$(cat "$scratch/err")"

# scripts/pack-records: the records that come back have the same numbers.
pack="$source/scripts/pack-records"
"$pack" "$source/examples/sweep" "$scratch/sweep.jsonl.xz" | grep -q '^6 runs, ' || fail "expected 6 packed runs"
"$pack" --unpack "$scratch/sweep.jsonl.xz" "$scratch/sweep"
python3 - "$source/examples/sweep" "$scratch/sweep" <<'PYTHON' || fail "the unpacked records differ"
import json, pathlib, sys
before, after = map(pathlib.Path, sys.argv[1:])
for results in before.rglob("results.jsonl"):
    again = (after / results.relative_to(before)).read_text().splitlines()
    for old, new in zip(results.read_text().splitlines(), again, strict=True):
        assert json.loads(old) == json.loads(new), (old, new)
PYTHON
mkdir "$scratch/empty"
"$pack" "$scratch/empty" "$scratch/none.xz" 2>"$scratch/err" && fail "a folder without runs was packed"
grep -q "expected finished run folders" "$scratch/err" || fail "$(cat "$scratch/err")"
cp -r "$source/examples/sweep" "$scratch/part"
rm "$scratch/part/erm-test2-draw1/done"
printf '{"step":' >>"$scratch/part/erm-test2-draw1/results.jsonl"
"$pack" "$scratch/part" "$scratch/part.xz" | grep -q '^5 runs, .*, left out: 1 unfinished$' || fail "an unfinished run was packed"

# scripts/paper-tables: the tables of docs/paper.md are those of docs/results.
"$source/scripts/paper-tables" --check || fail "docs/paper.md: expected the tables of docs/results; scripts/paper-tables writes them"
