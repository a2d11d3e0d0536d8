// Package keep decides whether a challenger takes the place of a champion: by pairs, a trial of each on the same
// scenario, until it is kept, reverted, or the pairs are used up.
//
//	level, err := keep.Bonferroni.Next(0.05, nil)              // of the first challenger of a session
//	design, err := keep.New(ctx, keep.Question{Alpha: level})
//	c, err := design.At(ctx, keep.Apart(0.8, 0.8))             // what it does of one that changes nothing: exact
//	test := design.Begin()
//	decision := test.Observe(keep.Mended)                      // pair by pair
//
// # What is promised
//
// A pair is mended where the challenger alone passes, and broke where the champion alone does. A challenger that is no
// better breaks at least as often as it mends. Whether it is kept is decided on the pairs that differ alone, one after
// the other, and of these a mended one is then no more likely than one that broke: so
//
//	P(a challenger that is no better is kept) <= alpha
//
// whatever the rates are, whatever share of pairs differs, and whenever else a test is ended: to revert, or to stop for
// want of money, only takes chances to be kept away. It holds of scenarios that are drawn at random for each pair. A
// [Spending] gives each challenger of a session its level, so that it holds of the whole session.
//
// # What is not
//
// To revert is no statement about the challenger. It says that a gain of the size that is looked for is out of sight,
// by the share of mended pairs that it has where the champion's rate is the one that is expected. How often a gain is
// lost so, and at other rates of the champion, is in [Design.At].
//
// Where to look: question.go has what is asked, design.go the form of the test, signs.go where it keeps and reverts,
// exact.go what it does, test.go a test that runs, spending.go the levels of a session, earlier.go the test of earlier
// versions.
package keep
