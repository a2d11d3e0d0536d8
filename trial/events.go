package trial

import "encoding/json"

// eventsMember is the field of a step with what was done to it on its way, such as faults.
const eventsMember = "events"

// AddEvents notes what was done to a step on its way, such as "fault: rate-limit". None changes nothing.
func (s *Step) AddEvents(events ...string) {
	if len(events) == 0 {
		return
	}
	value, err := json.Marshal(append(s.Events(), events...))
	if err != nil {
		return // not reached: they are texts
	}
	for i := range s.Extra {
		if s.Extra[i].Name == eventsMember {
			s.Extra[i].Value = Raw(value)
			return
		}
	}
	s.Extra = append(s.Extra, Member{Name: eventsMember, Value: Raw(value)})
}

// Events are what [Step.AddEvents] noted, also of a record that was read. A field of that name that holds anything else
// has none.
func (s *Step) Events() (events []string) {
	for _, m := range s.Extra {
		if m.Name == eventsMember && json.Unmarshal([]byte(m.Value), &events) == nil {
			return events
		}
	}
	return nil
}
