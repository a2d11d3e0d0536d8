// Package gate decides over a run whether to deploy it. [Judge] asks of a run what
// [Options] say - the verdicts, floors, a baseline, coverage, behaviour - and its [Result]
// holds every rule with what came of it: Block if one is broken, Deploy if all hold, and
// Manual otherwise. What is missing never deploys.
package gate
