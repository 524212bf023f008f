package main

import (
	"testing"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// TestTemplate: what a source sends, a switch reads, with BFC's shim and without.
func TestTemplate(t *testing.T) {
	s := defaults()
	p := victim(&s)
	var h headers
	for _, shim := range []bool{false, true} {
		frame := template(3, p.places[2], p.places[6], 1000, shim)
		require.Len(t, frame, 1000)
		_, ok := h.parse(frame, shim)
		require.True(t, ok)
		require.Equal(t, newSink(3, flow{from: 2, to: 6}).tuple, h.flow)
		require.EqualValues(t, class, h.class)
		require.Equal(t, sluice.ECT0, h.ecn)
		require.Zero(t, checksum(frame[ipOffset(shim):]), "a checksum that is right sums up to 0")

		why, ok := h.parse(frame, !shim)
		require.False(t, ok)
		require.Equal(t, foreign, why)
		why, ok = h.parse(frame[:200], shim)
		require.False(t, ok)
		require.Equal(t, badHeader, why)
		setTOS(frame[ipOffset(shim):], tosOf(frame[ipOffset(shim)+1], 5, sluice.CE))
		_, ok = h.parse(frame, shim)
		require.True(t, ok)
		require.EqualValues(t, 5, h.class)
		require.Equal(t, sluice.CE, h.ecn)
		require.Zero(t, checksum(frame[ipOffset(shim):]))
	}
}

// TestSettingsThatCannotBe are refused before anything is made.
func TestSettingsThatCannotBe(t *testing.T) {
	for text, change := range map[string]func(s *settings){
		`-fc "tcp" is none of bfc, none`:     func(s *settings) { s.protocol = "tcp" },
		`-topology "ring" is none of`:        func(s *settings) { s.topology = "ring" },
		"-fc portfc and -topology ndc":       func(s *settings) { s.protocol = "portfc" },
		"-hosts 17 is not 2 to 16":           func(s *settings) { s.hosts = 17 },
		"-rate 0 is not 1 to 10000":          func(s *settings) { s.megabits = 0 },
		"-size 1515 is not 64 to 1514":       func(s *settings) { s.size = 1515 },
		"-xon 40000 and -xoff 30000 are not": func(s *settings) { s.xon = 40_000 },
		"-delay 0 to 1s":                     func(s *settings) { s.delay = 2 * time.Second },
	} {
		s := defaults()
		change(&s)
		_, err := start(s)
		require.ErrorContains(t, err, text)
	}
}

// TestClock: the origin moves after a day, and by what had passed.
func TestClock(t *testing.T) {
	c := clock{origin: time.Now().Add(-time.Minute), day: time.Hour}
	require.GreaterOrEqual(t, c.now(nil), sluice.FromDuration(time.Minute))
	require.Less(t, c.until(sluice.FromDuration(time.Minute)), time.Duration(1))
	require.Equal(t, time.Hour, c.until(sluice.Never))

	c.day = time.Second
	moved := sluice.Time(0)
	require.Zero(t, c.now(func(by sluice.Time) { moved = by }))
	require.GreaterOrEqual(t, moved, sluice.FromDuration(time.Minute))
	require.Less(t, c.now(nil), sluice.FromDuration(time.Second))
}
