#!/usr/bin/env bash
# agentevals 0.0.7, createTrajectoryMatchEvaluator in the mode "unordered", with toolArgsMatchMode "superset": an
# agent that called a tool twice, once with one argument and once with two.
#
# Guessed: the order of the calls does not matter, as the name says. Seen: it does. Each call takes the first call of
# the reference that it fits, and gives none back: pay(1) and pay(1, "ann") match themselves, and not themselves
# turned around, though each has its counterpart. Modes "superset" and "subset" depend on it in one direction. With
# "exact" arguments the order does not matter. And what the agent answers in the end matters in no mode, "strict"
# included.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error agentevals@0.0.7 >/dev/null
cat >ask.mjs <<'JS'
import { createTrajectoryMatchEvaluator } from 'agentevals'
const said = content => ({ role: 'assistant', content })
const pay = args => ({
  ...said(''), tool_calls: [{ id: 'x', type: 'function', function: { name: 'pay', arguments: JSON.stringify(args) } }]
})
const one = pay({ usd: 1 }), two = pay({ usd: 1, to: 'ann' })
const ran = (...steps) => [{ role: 'user', content: 'q' }, ...steps]
const ask = async (trajectoryMatchMode, toolArgsMatchMode, outputs, referenceOutputs) => {
  const judge = createTrajectoryMatchEvaluator({ trajectoryMatchMode, toolArgsMatchMode })
  return (await judge({ outputs, referenceOutputs })).score
}
for (const mode of ['unordered', 'superset', 'subset'])
  for (const args of ['superset', 'exact'])
    console.log(`${mode}, ${args}: as the reference ${await ask(mode, args, ran(two, one), ran(two, one))},`,
      `turned around ${await ask(mode, args, ran(two, one), ran(one, two))}`)
console.log('strict, another answer:', await ask('strict', 'exact', ran(one, said('I cannot')), ran(one, said('Paid'))))
JS
node ask.mjs | tee seen
diff - seen <<'SEEN' || { echo "agentevals does something else now"; exit 1; }
unordered, superset: as the reference true, turned around false
unordered, exact: as the reference true, turned around true
superset, superset: as the reference true, turned around false
superset, exact: as the reference true, turned around true
subset, superset: as the reference true, turned around true
subset, exact: as the reference true, turned around true
strict, another answer: true
SEEN
