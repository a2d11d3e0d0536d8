package site_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// A filter that stands in an address is read as it was, whatever its values are.
func TestFilterInAnAddress(t *testing.T) {
	for _, value := range []string{"x", "a b", "a&b=c", "ä", "%41", "+", "</form>", "#", "?page=2"} {
		var want site.Filter
		fields := reflect.ValueOf(&want).Elem()
		for i := range fields.NumField() {
			fields.Field(i).SetString(value + strings.Repeat("x", i))
		}
		u, err := url.Parse(want.Address("/runs", "page", "3"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := site.ReadFilter(u.Query())
		if err != nil || got != want || u.Path != "/runs" || u.Query().Get("page") != "3" {
			t.Errorf("%q: %+v, %v", u, got, err)
		}
	}
	if (site.Filter{}).Address("/runs") != "/runs" || (site.Filter{}).Asked() != "" ||
		(site.Filter{Suite: "shop", Since: "30d"}).Asked() != "suite shop, since 30d" {
		t.Error("the empty filter asks for something")
	}
}

// What a filter asks is a query.
func TestFilterAsks(t *testing.T) {
	now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	f := site.Filter{Suite: "shop", Kind: "run", Version: "v", Commit: "4f", Branch: "main", Baseline: "b", Run: "ab",
		Since: "2d",
		Until: "2026-03-31", Scenario: "r*", Outcome: "fail", Text: "x"}
	q, err := f.Query(now)
	want := store.Query{Suite: "shop", Kind: "run", Version: "v", Commit: "4f", Branch: "main", Baseline: "b", Run: "ab",
		Since: time.Date(2026, 3, 30, 12, 0, 0, 0, time.UTC), Until: time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC),
		Scenario: "r*",
		Outcome:  trial.Fail}
	if err != nil || !reflect.DeepEqual(q, want) {
		t.Errorf("%+v, %v", q, err)
	}
	for _, f := range []site.Filter{{Since: "soon"}, {Until: "x"}, {Run: "xyz"}, {Run: "AB"}, {Outcome: "unjudged"},
		{Outcome: "x"}} {
		if _, err := f.Query(now); err == nil {
			t.Errorf("%+v is no error", f)
		}
	}
}
