package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/sluicefc/sluice"
)

const clearScreen = "\x1b[H\x1b[2J"

// report returns the counters as they are.
func (l *lab) report() string { return l.format(l.snapshots()) }

// finish ends the traffic and returns the counters when all has arrived.
func (l *lab) finish() string { return l.format(l.drain()) }

func (l *lab) format(all []snapshot) string {
	var latest time.Duration
	var stalls uint64
	for _, s := range all {
		latest = max(latest, s.latest)
		stalls += s.stalls
	}
	return fmt.Sprintf("%s after %v, nodes late by %v at most, %d times by more than %v\n%s\n%s\n",
		l.settings.protocol, time.Since(l.began).Round(time.Millisecond),
		latest.Round(time.Microsecond), stalls,
		l.settings.delays.worst, ports(all), l.flows(all))
}

func ports(all []snapshot) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{
		"node", "port", "received", "sent", "waiting", "held", "control in", "control out", "lost",
	})
	for _, s := range all {
		for id := range s.ports {
			p := &s.ports[id]
			t.AppendRow(table.Row{
				s.place.name, id, p.Received, p.Sent, p.waiting, p.held, p.machine.FramesReceived,
				kinds(p.frames), p.losses(),
			})
		}
	}
	return t.Render()
}

func (l *lab) flows(all []snapshot) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{
		"flow", "from", "to", "sent", "received", "missing", "out of order", "Mb/s",
		"delay 50 %", "99 %", "most",
	})
	seconds := time.Since(l.began).Seconds()
	for f, flow := range l.plan.flows {
		from, to := all[flow.from], all[flow.to]
		s := to.sinks[f]
		t.AppendRow(table.Row{
			flow.name, from.place.name, to.place.name, from.sent[f], s.received,
			int64(from.sent[f] - s.received), s.outOfOrder,
			fmt.Sprintf("%.2f", float64(s.received)*float64(8*l.settings.size)/1e6/seconds),
			s.delay50.Round(time.Microsecond), s.delay99.Round(time.Microsecond),
			s.delayMost.Round(time.Microsecond),
		})
	}
	return t.Render()
}

// kinds lists how many control frames of each kind were sent.
func kinds(frames map[string]uint64) string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(frames)) {
		list = append(list, fmt.Sprintf("%d %s", frames[kind], kind))
	}
	return strings.Join(list, ", ")
}

// losses lists how many frames went no further, and why.
func (p *portSnapshot) losses() string {
	var list []string
	add := func(n uint64, why any) {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %v", n, why))
		}
	}
	for why, n := range p.Refused {
		add(n, refusal(why))
	}
	for why, n := range p.Dropped {
		add(n, sluice.Reason(why))
	}
	add(p.machine.Malformed, "malformed")
	add(p.Lost, "lost by the kernel")
	add(p.Unsent, "not sent by the kernel")
	add(p.Severed, "severed")
	add(p.Downs, "outages")
	return strings.Join(list, ", ")
}
