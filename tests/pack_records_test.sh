#!/bin/bash
# scripts/pack-records: a sweep continues from the runs that it unpacks, and trains only the missing ones.
#
#   pack_records_test.sh SOURCE PAIR
set -euo pipefail
pack="$1/scripts/pack-records"
pair=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1" >&2; exit 1; }

launch() {
  "$pair" sweep launch --out "$1" --datasets cmnist --algorithms erm,vrex --n-hparams 1 --n-trials 2 --steps 4 \
    --set batch=16 width=8 --jobs 1 2>&1
}
launch "$scratch/whole" >/dev/null
"$pack" "$scratch/whole" "$scratch/all.jsonl.xz" | grep -q '^4 runs, ' || fail "expected 4 packed runs"
"$pack" --unpack "$scratch/all.jsonl.xz" "$scratch/again"
[[ $(launch "$scratch/again") == *'4 done (0 by this launch)'* ]] || fail "unpacked runs were trained again"
"$pack" --unpack "$scratch/all.jsonl.xz" "$scratch/again" 2>/dev/null && fail "unpacked runs replaced others"

# Packed by an earlier version, without spec.json.
rm "$scratch"/again/*/spec.json
[[ $(launch "$scratch/again") == *'4 done (0 by this launch)'* ]] || fail "runs without spec.json were trained again"

rm -r "$scratch"/again/*vrex-s1*
[[ $(launch "$scratch/again") == *'4 done (1 by this launch)'* ]] || fail "expected only the missing run to be trained"
for folder in whole again; do
  "$pair" select "$scratch/$folder" --criterion all 2>/dev/null | sed "s|$scratch/$folder|DIR|" >"$scratch/$folder.txt"
done
diff "$scratch/whole.txt" "$scratch/again.txt" || fail "the unpacked runs are selected differently"

# A change of what was unpacked is noticed, as in any finished run.
one=$(echo "$scratch"/again/*erm-s0*/results.jsonl)
sed -i '1s/"step": [0-9]*/"step": 77/' "$one"
[[ $("$pair" sweep status --out "$scratch/again" 2>&1) == *'has changed since the run finished'* ]] ||
  fail "an altered record was not noticed"
