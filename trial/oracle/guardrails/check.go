package guardrails

import "fmt"

// Problem says what no guard finds in a trial; "" is nothing.
func (t *Trial) Problem() string {
	if len(t.Clauses) > mostClauses {
		return fmt.Sprintf("%d clauses", len(t.Clauses))
	}
	seen, killed := map[[2]string]bool{}, 0
	for _, f := range t.Clauses {
		key := [2]string{bounded(f.Contract), bounded(f.Clause)}
		switch {
		case seen[key]:
			return fmt.Sprintf("the clause %.80q twice", f.Clause)
		case f.Denied < 0 || f.Denied > mostCalls:
			return fmt.Sprintf("%d calls denied", f.Denied)
		case f.Killed < 0 || f.Killed > 1:
			return fmt.Sprintf("ended %d times", f.Killed)
		case f.Denied+f.Killed == 0:
			return fmt.Sprintf("the clause %.80q without a call", f.Clause)
		}
		seen[key] = true
		killed += f.Killed
	}
	if killed > 1 {
		return fmt.Sprintf("ended %d times", killed)
	}
	return ""
}

// Problem names the first figure that [Sum.Counts] would not have given, with what it should be; the name is empty
// where there is none.
func (c *Counts) Problem() (name, have, want string) {
	if c.Guarded < 1 {
		return "guarded", fmt.Sprint(c.Guarded), "at least 1"
	}
	if c.Trials < 0 || c.Trials > c.Guarded {
		return "trials", fmt.Sprint(c.Trials), fmt.Sprintf("from 0 to %d", c.Guarded)
	}
	seen, trials, most, denied, killed := map[[2]string]bool{}, 0, 0, 0, 0
	for i, x := range c.Clauses {
		at := fmt.Sprintf("clauses[%d].", i)
		switch key := [2]string{x.Contract, x.Clause}; {
		case seen[key]:
			return at + "clause", fmt.Sprintf("%.80q", x.Clause), "another than in the rows before"
		case x.Trials < 1 || x.Trials > c.Trials:
			return at + "trials", fmt.Sprint(x.Trials), fmt.Sprintf("from 1 to %d", c.Trials)
		case x.Killed < 0 || x.Killed > x.Trials:
			return at + "killed", fmt.Sprint(x.Killed), fmt.Sprintf("from 0 to %d", x.Trials)
		case x.Denied < x.Trials-x.Killed:
			return at + "denied", fmt.Sprint(x.Denied), fmt.Sprintf("at least %d", x.Trials-x.Killed)
		default:
			seen[key] = true
		}
		trials, most = plus(trials, x.Trials), max(most, x.Trials)
		denied, killed = plus(denied, x.Denied), plus(killed, x.Killed)
	}
	switch {
	case c.Trials > trials:
		return "trials", fmt.Sprint(c.Trials), fmt.Sprintf("from %d to %d, as its clauses say", most, trials)
	case c.Denied != denied:
		return "denied", fmt.Sprint(c.Denied), fmt.Sprintf("%d, the sum of its clauses", denied)
	case c.Killed != killed || killed > c.Trials:
		return "killed", fmt.Sprint(c.Killed), fmt.Sprintf("%d, the sum of its clauses, of %d trials", killed, c.Trials)
	}
	return "", "", ""
}
