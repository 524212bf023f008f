package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// line is the wire behind the port. It counts packets by code point.
type line struct {
	now, busyUntil sluice.Time
	store          *kit.Store[struct{}]
	count          [4]int
}

func (l *line) Free(sluice.PortID) bool { return l.now >= l.busyUntil }

func (l *line) Send(_ sluice.PortID, h kit.Handle) {
	l.busyUntil = l.now + rate.TimeOf(size)
	l.count[l.store.At(h).ECN]++
	l.store.Release(h)
}

func (l *line) SendFrame(sluice.PortID, []byte, string) {}

func (l *line) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }

func (l *line) counted() string {
	text := fmt.Sprintf("%4d not marked  %4d UE  %4d CE", l.count[sluice.ECT1],
		l.count[sluice.UE], l.count[sluice.CE])
	l.count = [4]int{}
	return text
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
