#!/bin/sh
# tests.sh REPORT [TEST...] is a test command: it runs the tests that are named, or all three, and writes
# JUnit XML. "shop.total" always passes, "shop.refund" never, and "shop.search" fails in every fifth
# execution, as a test with a race does now and then. Put your own test command in its place.
report=$1
shift
[ $# -gt 0 ] || set -- shop.total shop.search shop.refund
count=${TMPDIR:-/tmp}/flaky-tests.count
n=$(($(cat "$count" 2>/dev/null || echo 0) + 1))
echo $n > "$count"
{
  echo '<testsuite name="shop">'
  for test; do
    name=${test#shop.}
    failure=
    case $name in
    refund) failure='<failure message="refund: no such function"/>' ;;
    search) [ $((n % 5)) -ne 0 ] || failure='<failure message="search: timed out"/>' ;;
    esac
    echo "<testcase classname=\"shop\" name=\"$name\">$failure</testcase>"
  done
  echo '</testsuite>'
} > "$report"
