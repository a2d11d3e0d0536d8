# Records a tool again, and compares what tribunal reads of the recording with what is known of it. The scripts beside this
# source it:
#
#	.ci/record/codex [FOLDER]                 the newest version; the recording stays in FOLDER
#	VERSION=0.171.0 .ci/record/codex          another version
#	MODULES=node_modules .ci/record/codex     what is installed there
#
# Agents and frameworks read a note, and one that is not there, by two calls of a tool. A script answers as their model, and
# what the wire saw is what the recording must say. Test runners have four tests: steady passes, never fails, flaky fails at
# its first try, and skipped is skipped; what each report must say stands in the script of the runner.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ $# -gt 0 ]; then
  folder=$(mkdir -p "$1" && cd "$1" && pwd)
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
cd "$folder"
if ! [ -x "${TRIBUNAL-}" ]; then
  (cd "$root" && go build -o "$folder/tribunal" ./cmd/tribunal)
  TRIBUNAL=$folder/tribunal
fi

# npm installs a package, of which the tool is, and others, unless they are there, and says the version: PACKAGE [OTHERS...]
npm() {
  if [ -n "${MODULES-}" ]; then
    ln -sfn "$(cd "$root" && cd "$MODULES" && pwd)" node_modules
  else
    [ -f package.json ] || echo '{"private": true, "type": "module"}' >package.json
    command npm install --no-audit --no-fund --loglevel=error "$1@${VERSION:-latest}" "${@:2}" >npm.log 2>&1 ||
      { cat npm.log; exit 1; }
  fi
  PATH=$folder/node_modules/.bin:$PATH
  echo "$1 $(node -p 'require("./node_modules/'"$1"'/package.json").version')"
}

# model writes the script of the model: TOOL, its ARGUMENT, the values for the note and for what is not there, and more
# that an answer tells of tokens.
model() {
  mkdir -p home work
  echo 42 >work/note.txt
  cat >model.yaml <<YAML
turns:
  - {text: I look., calls: [{tool: $1, arguments: {$2: "$3"}}], tokens: {in: 1000, out: 10, cached: 400${5-}}}
  - {text: And again., calls: [{tool: $1, arguments: {$2: "$4"}}], tokens: {in: 1100, out: 11, cached: 400${5-}}}
  - {text: The note says 42., tokens: {in: 1200, out: 12, cached: 400${5-}}}
anytime:
  - {when: {system: title generator}, text: A note, tokens: {in: 600, out: 8}}
  - {path: /count_tokens, json: {input_tokens: 1200}}
YAML
}

# on_wire runs a command in the folder of the note, with a home of its own. What it prints is kept as out.jsonl.
on_wire() {
  (cd work && HOME=$folder/home TERM=dumb "$TRIBUNAL" wire --script ../model.yaml -o ../trial.json -- "$@" \
    >../out.jsonl 2>../err.txt) || { tail -n 5 err.txt; exit 1; }
}

# same compares recordings with what the wire saw: FILE...
same() {
  "$TRIBUNAL" import "$@" -o read.jsonl 2>notes.txt || { cat notes.txt; exit 1; }
  sed 's/^tribunal: note: /  /' notes.txt
  python3 - trial.json read.jsonl <<'PY'
import json, sys
def figures(file):
    found = {}
    for line in open(file):
        t = json.loads(line)
        steps = t.get("steps") or []
        calls = [s for s in steps if s["action"] == "call_tool"]
        found["calls"] = found.get("calls", 0) + len(calls)
        found["tools"] = found.get("tools", []) + [s.get("tool") for s in calls]
        found["failed calls"] = found.get("failed calls", 0) + sum(bool(s.get("error")) for s in calls)
        found["answer"] = next((s.get("output") for s in steps[::-1] if s["action"] == "respond"), None)
        for s in steps:
            if s.get("output") == "A note": # a title: some agents record no tokens of it
                print(f"  beside: a title, of {s['input_tokens']} tokens in and {s['output_tokens']} out")
                t["input_tokens"] -= s["input_tokens"]
                t["output_tokens"] -= s["output_tokens"]
        for name in ("input_tokens", "output_tokens", "cached_tokens", "cost_usd"):
            if name in t:
                found[name] = found.get(name, 0) + round(t[name], 9)
    return found
wire, read = figures(sys.argv[1]), figures(sys.argv[2])
unlike = wire["calls"] != 2
if unlike:
    print(f"  the script was not followed: {wire['calls']} calls")
for name in wire.keys() | read.keys():
    if name not in read:
        print(f"  not recorded: {name}")
    elif name in wire and wire[name] != read[name]:
        print(f"  unlike: {name}: the wire has {wire[name]}, the recording {read[name]}")
        unlike += name not in ("cost_usd", "failed calls", "tools") # of which one of both knows more
print("  read: " + ", ".join(f"{name} {read[name]}" for name in sorted(read)))
sys.exit(unlike > 0)
PY
}

# trials compares a report with the outcomes of each test in their order, p, f or e: FILE EXPECTED, such as "flaky fp".
trials() {
  "$TRIBUNAL" import "$1" -o read.jsonl 2>notes.txt || { cat notes.txt; exit 1; }
  python3 - "$2" <<'PY' || { cat notes.txt; exit 1; }
import json, sys
found = {}
for line in open("read.jsonl"):
    t = json.loads(line)
    name = next((n for n in ("steady", "never", "flaky", "skipped") if n in t["scenario"].lower()), t["scenario"])
    found[name] = found.get(name, "") + t["outcome"][0]
said = " ".join(f"{name} {found[name]}" for name in sorted(found))
print(f"  {said}" + ("" if said == sys.argv[1] else f", and not {sys.argv[1]}"))
sys.exit(said != sys.argv[1])
PY
}
