package architecture_test

const module = "github.com/tribunal-dev/tribunal"

// floors are the storeys of the house, from the ground up; the package comment walks
// through them. An import may only point to a lower one. Every package stands on one
// floor, by its name.
var floors = [][]string{
	{ // words for people, and what is made when it is first needed
		"docs",
		"internal/lazy",
		"internal/prose",
	},
	{ // what knows nothing of trials, and tests of the repository itself
		"internal/align",
		"internal/architecture",
		"internal/beside",
		"internal/cgroup",
		"internal/confine",
		"internal/enum",
		"internal/jsonschema",
		"internal/jsonlex",
		"internal/jsonspan",
		"internal/kept",
		"internal/exit",
		"internal/filelock",
		"internal/heap",
		"internal/leftovers",
		"internal/likeness",
		"cmd/internal/manual",
		"internal/nodeserver",
		"internal/ordinal",
		"internal/otlphttp",
		"internal/phrase",
		"internal/redact",
		"internal/refdata",
		"internal/seeded",
		"internal/signature",
		"internal/special",
		"internal/spread",
		"internal/sse",
		"internal/table",
		"internal/testresults",
		"internal/thorough",
		"wire/internal/dialect/operations",
	},
	{ // distributions, values of schemas, how much memory there is, what is wrong with input, and queries of databases
		"internal/fault",
		"internal/argument",
		"internal/arbitrary",
		"internal/built",
		"internal/census",
		"internal/memory",
		"cmd/internal/warehouse",
		"internal/dist",
	},
	{ // numbers, the vocabulary, programs
		"internal/process",
		"stats",
		"trial",
	},
	{ // what else is done with numbers, and what files may be read
		"coverage/graph",
		"fingerprint/hotelling",
		"internal/canary",
		"internal/input",
		"sprt/race",
		"stats/controlvariate",
		"stats/multiplicity",
		"stats/sample",
		"stats/threshold",
		"stats/twophase",
		"trial/tokens",
	},
	{ // one question about trials each
		"coverage",
		"fingerprint",
		"ingest/internal/record",
		"internal/door",
		"internal/glob",
		"internal/yamlnode",
		"trial/oracle",
		"trial/oracle/guardrails",
		"trial/journal",
		"stats/change",
		"sprt",
		"stats/intraclass",
		"trial/usage",
		"wire/internal/dialect",
	},
	{ // looks on the way, contracts, and what verdicts are worded with
		"bench/internal/interim",
		"ingest/internal/mapping",
		"ingest/internal/rule",
		"ingest/internal/transcript",
		"internal/dataset",
		"cmd/internal/labels",
		"cmd/internal/monitor",
		"cmd/internal/proposal",
		"trial/oracle/contract",
		"trial/prices",
		"trial/relation",
		"wire/endpoint",
		"sprt/baseline",
		"sprt/betting",
		"sprt/keep",
		"sprt/stratified",
		"bench/internal/spending",
		"verdict/internal/collapse",
		"verdict/internal/mark",
		"verdict/internal/rejudged",
		"verdict/internal/sample",
	},
	{ // models and the way to them, and points
		"trial/oracle/score",
		"wire/model",
		"wire",
	},
	{ // models that judge, and what stands on the wire
		"suite/internal/modeljudge",
		"wire/cassette",
		"wire/fault",
		"wire/guard",
		"wire/mcp",
		"wire/script",
	},
	{ // what is changed of an agent
		"suite/mutation",
	},
	{ // and on the wire
		"runner/internal/rewrite",
	},
	{ // evidence and a rule, and what reads evidence of others
		"ingest/internal/format/agents",
		"ingest/internal/format/benchmarks",
		"ingest/internal/format/chat",
		"ingest/internal/format/frameworks",
		"ingest/internal/format/otlp",
		"ingest/internal/format/plain",
		"ingest/internal/format/testreports",
		"suite",
		"verdict",
	},
	{ // what several judges need
		"cmd/internal/conversion",
		"cmd/internal/looks",
		"cmd/internal/suggest",
		"verdict/design",
		"verdict/internal/recheck",
		"verdict/recording",
	},
	{ // how many trials something takes, scenarios of trials, and what databases count of them
		"verdict/pipeline",
		"cmd/internal/promotion",
		"cmd/internal/warehouse/rows",
		"verdict/plan",
		"verdict/sampled",
	},
	{ // judges of one thing each, and what compares results with trials
		"verdict/behaviour",
		"verdict/compliance",
		"verdict/mean",
		"verdict/history",
		"verdict/improvement",
		"verdict/internal/follow",
		"verdict/runs",
		"verdict/sequential",
	},
	{ // a judge that takes in what others found
		"verdict/compare",
		"verdict/mutants",
		"verdict/race",
		"verdict/rank",
		"verdict/relations",
	},
	{ // what decides over any of them
		"verdict/gate",
		"verdict/proxy",
	},
	{ // all results, read and judged again
		"verdict/verify",
	},
	{ // where trials come from, and drawings
		"ingest",
		"report/chart",
		"report/internal/document",
		"report/internal/safe",
		"tribunaltest",
	},
	{ // numbers in reports
		"report/internal/figure",
	},
	{ // the scale of drawings
		"report/internal/scale",
	},
	{ // the page
		"report/internal/html",
	},
	{ // where trials are made, where they are kept, and a database that counts them
		"cmd/internal/warehouse/postgres",
		"runner",
		"report/store",
	},
	{ // what goes wrong, for a person
		"cmd/internal/problem",
	},
	{ // what a command is given, and what it writes
		"cmd/internal/session",
		"cmd/internal/value",
	},
	{
		"cmd/internal/outfile",
	},
	{
		"cmd/internal/world",
	},
	{ // what comes of a result, what the commands do, and trials on other machines
		"cmd/internal/fleet",
		"cmd/internal/app",
		"cmd/internal/repeat",
		"report",
		"report/site",
	},
	{ // a loop that makes attempts and tests them
		"cmd/internal/ratchet",
	},
	{ // suites and what is kept of runs
		"cmd/internal/keeping",
		"cmd/internal/suitefile",
	},
	{ // trials that are recorded
		"cmd/internal/evidence",
	},
	{ // where results go
		"cmd/internal/app/looking",
		"cmd/internal/deliver",
	},
	{ // verdicts on trials that are recorded, or that come in
		"cmd/internal/app/judging",
	},
	{ // requests, and what answers them
		"cmd/internal/app/importing",
		"cmd/internal/app/inspecting",
		"cmd/internal/app/judges",
		"cmd/internal/app/planning",
	},
	{ // other doors to the commands
		"cmd/internal/mcpserver",
		"cmd/internal/web",
	},
	{ // where those are served
		"cmd/internal/listen",
	},
	{ // runs, and what other commands make of them
		"cmd/internal/app/running",
		"cmd/internal/app/watching",
		"cmd/internal/app/wiring",
	},
	{ // what runs leave behind
		"cmd/internal/app/storing",
	},
	{ // runs that are several of these
		"cmd/internal/app/authoring",
		"cmd/internal/app/improving",
		"cmd/internal/app/probing",
		"cmd/internal/app/results",
	},
	{ // what commands have in common, from errors to results
		"cmd/internal/cli/clitest",
		"cmd/internal/cli/forged",
		"cmd/internal/cli/program",
		"cmd/internal/cli/seams",
		"cmd/internal/cli/transcripts/gate",
		"cmd/internal/cli/transcripts/improve",
		"cmd/internal/cli/transcripts/plan",
		"cmd/internal/cli/transcripts/recorded",
		"cmd/internal/cli/transcripts/report",
		"cmd/internal/cli/transcripts/run",
		"cmd/internal/cli/transcripts/store",
		"cmd/internal/cli/transcripts/suite",
		"cmd/internal/cli/transcripts/verdict",
		"cmd/internal/cli/transcripts/wire",
	},
	{ // the table of options
		"cmd/internal/cli/option",
	},
	{ // what every command stands on
		"cmd/internal/cli/base",
	},
	{
		"cmd/internal/cli/bind",
	},
	{ // the commands, which their names end in
		"cmd/internal/cli/importcmd",
		"cmd/internal/cli/inspectcmd",
		"cmd/internal/cli/judgecmd",
		"cmd/internal/cli/monitorcmd",
		"cmd/internal/cli/plancmd",
		"cmd/internal/cli/verdictcmd",
		"cmd/internal/cli/wirecmd",
	},
	{ // commands that run agents
		"cmd/internal/cli/runcmd",
	},
	{ // commands that have agents run
		"cmd/internal/cli/improvecmd",
		"cmd/internal/cli/mutatecmd",
		"cmd/internal/cli/reportcmd",
		"cmd/internal/cli/storecmd",
		"cmd/internal/cli/suitecmd",
	},
	{ // what measures the rest, from the pages to the two commands' work
		"bench",
	},
	{
		"bench/internal/detection",
		"bench/internal/simulation",
	},
	{
		"bench/internal/calibration",
		"bench/internal/faults",
		"bench/internal/paper",
		"bench/internal/savings",
		"cmd/internal/cli",
	},
	{ // what programs of other modules have of the commands
		"cmd/experiment",
	},
	{ // what measures the commands themselves
		"bench/internal/growth",
	},
	{
		"bench/cmd/tribunal-calibrate",
		"cmd/tribunal",
		"cmd/tribunal-fleet",
	},
	{ // programs of their own: nothing imports them
		"examples/support-agent/simulate",
		"examples/ticket-routing/agent",
	},
}

const gonumFloor = 5 // the highest that may use it, from 0

// reserved are libraries that few packages alone may import. A name, of a library or of
// a package, stands for the packages below it too.
var reserved = []struct {
	libraries []string
	only      []string
}{
	{[]string{"github.com/olekukonko/tablewriter"}, []string{"internal/table"}},
	{[]string{"google.golang.org/protobuf"}, []string{"internal/otlphttp"}},
	{[]string{"gonum.org/v1/plot"}, []string{"report/chart"}},
	{[]string{"modernc.org/sqlite"}, []string{"report/store"}},
	{[]string{"github.com/jackc/pgx"}, []string{"cmd/internal/warehouse/postgres", "report/store"}},
	{[]string{"github.com/nats-io"}, []string{"cmd/internal/fleet"}},
	{[]string{"github.com/santhosh-tekuri/jsonschema"}, []string{"internal/jsonschema"}},
	{[]string{"github.com/modelcontextprotocol/go-sdk"}, []string{"cmd/internal/mcpserver"}},
	{[]string{"github.com/spf13/cobra", "github.com/spf13/pflag"}, []string{"cmd/internal/cli"}},
	{[]string{module + "/bench"}, []string{"bench"}},
	{[]string{module + "/internal/refdata"}, []string{"cmd/internal/cli/clitest", "verdict/internal/sample"}},
	{[]string{"testing"}, []string{
		"internal/built", "cmd/internal/cli/clitest", "internal/refdata", "tribunaltest", "verdict/internal/sample",
	}},
}

// kept are packages that must not be reached from others, however many imports lie
// between: what is measured is one program, and what measures it another.
var kept = []struct{ out, target string }{
	{"bench", "cmd/tribunal"},
	{"cmd/internal/fleet", "cmd/tribunal"},
}

// closed are packages that import nothing of other modules but this.
var closed = map[string]string{
	"trial": "github.com/go-json-experiment/json",
	"stats": "gonum.org/v1/gonum",

	"internal/special":     "gonum.org/v1/gonum",
	"stats/controlvariate": "gonum.org/v1/gonum",
	"internal/dist":        "gonum.org/v1/gonum",
	"stats/multiplicity":   "gonum.org/v1/gonum",
	"stats/sample":         "gonum.org/v1/gonum",
	"stats/threshold":      "gonum.org/v1/gonum",
	"stats/twophase":       "gonum.org/v1/gonum",
}
