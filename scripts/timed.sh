#!/usr/bin/env bash
# Runs a part of `make test` and notes how long it took:  timed.sh NAME COMMAND...  (start: forgets, show: prints the table)
# CPU time is what counts: parts run beside each other, and the machine may do other work.
set -uo pipefail
cd "$(dirname "$0")/.."
table=target/test-times.tsv

case $1 in
  start) mkdir -p target && date +%s >$table ;;
  show)
    awk -F'\t' -v now="$(date +%s)" '
      NR == 1 { printf "%-34s%9s%9s\n", "part", "clock", "CPU"; began = $1; next }
      { printf "%-34s%7.0f s%7.0f s\n", $1, $2, $3 + $4; cpu += $3 + $4 }
      END { printf "%-34s%7.0f s%7.0f s  (goal on two idle cores: 460 s warm, 760 s cold)\n", "all", now - began, cpu }
    ' $table
    ;;
  *)
    name=$1; shift
    mkdir -p target
    spent=$(mktemp)
    # Not descriptors 3 and 4, at which make's children look for its jobs.
    exec {errors}>&2
    TIMEFORMAT=$'%R\t%U\t%S'
    { time "$@" 2>&"$errors" {errors}>&-; } 2>"$spent"
    code=$?
    printf '%s\t%s\n' "$name" "$(tail -n 1 "$spent")" >>$table
    rm -f "$spent"
    exit $code
    ;;
esac
