package trial

import (
	"fmt"
	"time"
)

// Timestamp is a point in time as RFC 3339 writes it, kept as it was written.
// The zone may be missing, and a space may stand for the T, as Python's
// datetime.isoformat writes them.
type Timestamp string

// zoneless is the form without a zone; a fraction of a second may follow.
const zoneless = "2006-01-02T15:04:05"

// timeForm is the hint for what is no time.
const timeForm = "write it as RFC 3339 does: 2026-02-26T09:25:37Z"

// Time returns the point in time. Without a zone it is taken as UTC.
func (s Timestamp) Time() (time.Time, error) {
	t, err := parseTimestamp([]byte(s))
	if err != nil {
		return time.Time{}, fmt.Errorf("timestamp %q is not a time such as 2026-02-26T09:25:37Z", string(s))
	}
	return t, nil
}

// parseTimestamp reads the forms that a [Timestamp] may have, the usual one first.
func parseTimestamp(text []byte) (t time.Time, err error) {
	if err = t.UnmarshalText(text); err == nil {
		return t, nil // the usual form; this way allocates nothing for UTC
	}
	form := string(text)
	if len(form) > len("2006-01-02") && form[len("2006-01-02")] == ' ' {
		form = form[:10] + "T" + form[11:]
	}
	if t, err = time.Parse(time.RFC3339, form); err == nil {
		return t, nil
	}
	return time.Parse(zoneless, form)
}
