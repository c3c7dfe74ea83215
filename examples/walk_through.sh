#!/usr/bin/env bash
# The command line from data to a judged answer. Needs relucover in the path.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Plant a network and draw samples of it; some more for judging.
relucover sample --inputs 10 --units 5 --samples 4000 --seed 3 -o data.npz --truth truth.json
relucover sample --inputs 10 --units 5 --samples 1000 --seed 3 --noise 0.1 -o noisy.csv

# What does the data allow?
relucover diagnose data.npz

# Learn it, without saying how many units there are. The exit code is 0 only for exact or recovered.
relucover learn data.npz --units auto -o net.json --json >result.json
grep '"status"' result.json

# From shards that never meet: moments of each, added up (here of one only); samples of one shard make the answer exact.
relucover sample --inputs 10 --units 5 --samples 100000 --seed 4 -o shard1.npz --truth planted.json
relucover moments shard1.npz -o one.moments
relucover merge one.moments -o all.moments
relucover learn shard1.npz --moments all.moments --units 5 --brief

# Judge: against the truth, and on other data (whose noise is 0.1).
relucover compare truth.json net.json
relucover evaluate net.json noisy.csv
