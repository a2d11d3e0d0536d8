package testreports

import (
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Numbers with separators: of thousands, as some writers print times over 999 s, and with a
// decimal comma, as .NET writes them where the system says so.
var (
	thousands    = lazy.Regexp(`^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)
	decimalComma = lazy.Regexp(`^\d+,\d+$`)
)

// plainNumber returns a number without separators of thousands, and with a point. What may be
// either, such as 1,002, has thousands.
func plainNumber(text string) string {
	switch {
	case thousands().MatchString(text):
		return strings.ReplaceAll(text, ",", "")
	case decimalComma().MatchString(text):
		return strings.Replace(text, ",", ".", 1)
	}
	return text
}

// secondsOf returns a number of seconds with a point or a decimal comma; unknown if it is none.
// The frameworks of .NET print no separators of thousands.
func secondsOf(text string) trial.Optional[float64] {
	return record.Node{Value: strings.Replace(text, ",", ".", 1)}.Amount()
}

// timeSpan is how .NET writes a duration: days, hours, minutes and seconds.
var timeSpan = lazy.Regexp(`^(?:(\d{1,8})\.)?(\d{1,2}):(\d{1,2}):(\d{1,2}(?:\.\d+)?)$`)

// spanOf returns a duration such as 1.02:03:04.5 in seconds; unknown if it is none.
func spanOf(text string) trial.Optional[float64] {
	m := timeSpan().FindStringSubmatch(text)
	if m == nil {
		return trial.Optional[float64]{}
	}
	seconds, err := strconv.ParseFloat(m[4], 64)
	if err != nil {
		return trial.Optional[float64]{}
	}
	whole := 24*record.WholeNumber(m[1]).Value + record.WholeNumber(m[2]).Value
	return trial.Some(float64(60*(60*whole+record.WholeNumber(m[3]).Value)) + seconds)
}

// timeOf returns a time as RFC 3339 has it, also where a space stands between day and hour;
// the zero time if it is none.
func timeOf(text string) time.Time {
	at, err := trial.Timestamp(strings.Replace(text, " ", "T", 1)).Time()
	if err != nil {
		return time.Time{}
	}
	return at
}

// stampOf is a time as a trial has it, "" if there is none.
func stampOf(at time.Time) trial.Timestamp {
	if at.IsZero() {
		return ""
	}
	return trial.Timestamp(at.UTC().Format(time.RFC3339Nano))
}
