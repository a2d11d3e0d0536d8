package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/fleet"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/door"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// engine is package fleet for the command line.
type engine struct{}

// Coordinate opens a coordinator.
func (engine) Coordinate(ctx context.Context, r world.FleetRun) (world.Coordinator, error) {
	address, token, err := meeting(ctx, r.FleetServer)
	if err != nil {
		return nil, err
	}
	address.WorkerNKeys = r.WorkerNKeys
	c, err := fleet.Open(ctx, fleet.Options{
		Address: address, Token: token, Suite: r.Suite, Profile: r.Suite.Profile, Lease: r.Lease, Label: r.Label,
		Rate:   r.Rate,
		Prices: r.Prices, RunFile: r.RunFile, Resume: r.Resume, Notice: notice(r.FleetServer),
	})
	if err != nil {
		return nil, err
	}
	return &coordinator{c}, nil
}

// Work works.
func (engine) Work(ctx context.Context, w world.FleetWork) error {
	address, token, err := meeting(ctx, w.FleetServer)
	if err != nil {
		return err
	}
	if address.URL == "" { // as run --fleet has it: this machine
		address.URL, address.Listen = "nats://"+address.Listen, ""
		address.URL = strings.Replace(address.URL, "nats://:", "nats://127.0.0.1:", 1)
	}
	return fleet.Work(ctx, fleet.WorkerOptions{
		Address: address, Token: token, Slots: w.Slots, Labels: w.Labels, Name: w.Name, Health: w.Health, Drain: w.Drain,
		Notice: notice(w.FleetServer),
	})
}

// meeting is where both sides meet, and their token.
func meeting(ctx context.Context, s world.FleetServer) (a fleet.Address, token fleet.Token, err error) {
	if a, err = fleet.ParseAddress(s.Address); err != nil {
		return a, "", err
	}
	a.CertFile, a.KeyFile, a.CAFile = s.CertFile, s.KeyFile, s.CAFile
	a.NKeyFile, a.CredsFile = s.NKeyFile, s.CredsFile
	text, err := door.ReadToken(ctx, s.TokenFile)
	return a, fleet.Token(text), err
}

// notice tells the command line what a person should know.
func notice(s world.FleetServer) func(kind, text string) {
	return func(kind, text string) { s.Notice(world.FleetNote{Kind: kind, Text: text}) }
}

// coordinator is one for the command line.
type coordinator struct{ *fleet.Coordinator }

// Close ends it, and says what the fleet did.
func (c *coordinator) Close(ended bool) ([]world.FleetNote, error) {
	s, err := c.Coordinator.Close(ended)
	return notes(s), err
}

// notes say what a fleet did.
func notes(s fleet.Summary) (list []world.FleetNote) {
	trials := 0
	for _, w := range s.Workers {
		trials += w.Trials + w.Errors
	}
	text := fmt.Sprintf("%s ran %s", prose.Count(len(s.Workers), "worker"), prose.Count(trials, "trial"))
	if s.Relaunched > 0 {
		text += fmt.Sprintf("; %s handed out again, as a worker was lost", prose.Count(s.Relaunched, "trial"))
	}
	if s.Late > 0 {
		text += fmt.Sprintf("; %s too late and not counted", prose.Count(s.Late, "result"))
	}
	list = append(list, world.FleetNote{Kind: "note", Text: text})
	if s.Suspicious() {
		worst := s.Worst()
		list = append(list, world.FleetNote{Kind: "warning", Text: fmt.Sprintf(
			"workers fail more or less often than chance has it (chi-squared, p = %.2g): of %s on %s %d failed; "+
				"all trials count: see to the machine", s.P.Value, prose.Count(worst.Trials, "trial"), worst.Worker,
			worst.Failures)})
	}
	return list
}
