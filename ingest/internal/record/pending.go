package record

// pendingCalls are the calls of tools whose results are not known. A log may hold many of them, so that
// a result finds its call without looking at the others.
type pendingCalls struct {
	all  []*pendingCall            // in the order of the calls, those that have their result among them
	from int                       // those before it have their result
	byID map[string][]*pendingCall // in the order of the calls; the first one waits
}

// pendingCall is one of them.
type pendingCall struct {
	id    string // may be ""
	step  int    // the index in the steps of the trace, which stays right when that list moves
	taken bool   // its result is known
}

// add adds a call that is the step of that index.
func (c *pendingCalls) add(id string, step int) {
	p := &pendingCall{id: id, step: step}
	c.all = append(c.all, p)
	if id == "" {
		return
	}
	if c.byID == nil {
		c.byID = map[string][]*pendingCall{}
	}
	c.byID[id] = append(c.byID[id], p)
}

// oldest returns the oldest call of an id, or, without one, the oldest whose step suits; nil if there is none.
func (c *pendingCalls) oldest(id string, suits func(step int) bool) *pendingCall {
	if id != "" {
		for _, p := range c.byID[id] {
			if !p.taken {
				return p
			}
		}
		return nil
	}
	for _, p := range c.all[c.from:] {
		if !p.taken && suits(p.step) {
			return p
		}
	}
	return nil
}

// take notes that a call has its result.
func (c *pendingCalls) take(p *pendingCall) {
	p.taken = true
	if p.id != "" {
		// Mostly it is the oldest of its id. One that was taken without its id may be any.
		same := c.byID[p.id]
		for len(same) > 0 && same[0].taken {
			same = same[1:]
		}
		if c.byID[p.id] = same; len(same) == 0 {
			delete(c.byID, p.id)
		}
	}
	for c.from < len(c.all) && c.all[c.from].taken {
		c.from++
	}
}
