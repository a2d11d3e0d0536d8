// Package graph counts the decision paths that an orchestration graph has, and says of the steps of a trial
// which of them it took, or where it left the graph (AgentAssay, Definition 4.4: "for agents with explicit
// orchestration graphs, enumerate paths up to a maximum depth").
//
//	paths, err := graph.Compile(&graph.Graph{
//		Start: []string{"search"},
//		Nodes: []graph.Node{
//			{Name: "search", Steps: []graph.Step{{Tool: "search"}}, To: []string{"search", "refund"}},
//			{Name: "refund", Steps: []graph.Step{{Tool: "refund"}}},
//		},
//		MaxDepth: 3,
//	})
//	if err != nil {
//		return err
//	}
//	fmt.Println(paths.Total()) // search refund, search search refund, search search search ...
//
// A path is a sequence of steps, of actions and tools: what trials record. Ways through the graph that show
// the same steps are one path. A path ends where the graph may end; one of MaxDepth steps may go on, and
// stands for all that begin with them: so every trial that keeps to the graph takes exactly one of its paths,
// however long it is.
//
// # Which file to open
//
//   - What a graph is, and what is refused: graph.go.
//   - Its paths: states.go turns nodes into states that steps lead between, with one way for each sequence of
//     steps; paths.go counts and follows; untried.go finds those that were not taken.
package graph
