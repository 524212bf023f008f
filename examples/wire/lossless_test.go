package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/tshark"
	"github.com/stretchr/testify/require"
)

// TestPFC: two hosts send to a third for five seconds. Nothing is lost, both sides of each cable
// count the same pauses, and tshark reads them with its own dissector.
func TestPFC(t *testing.T) {
	s := defaults()
	s.capture = filepath.Join(t.TempDir(), "wire.pcapng")
	const lasts = 5 * time.Second
	l, all := steadily(t, s, lasting(lasts))
	requireLossless(t, l, all)
	requireHeard(t, l, all)

	hub, pauses, resumes := len(l.plan.places)-1, uint64(0), uint64(0)
	for sender := range 2 {
		there, here := l.pauses(hub, sender), l.pauses(sender, 0)
		require.Greater(t, there.PausesSent, uint64(10))
		require.Equal(t, there.PausesSent, here.PausesReceived)
		require.Equal(t, there.ResumesSent, here.ResumesReceived)
		require.NotZero(t, here.HeldTime)
		pauses += there.PausesSent
		resumes += there.ResumesSent
	}
	arrived := all[2].sinks[0].received + all[2].sinks[1].received
	require.Greater(t, int(arrived), inTime(s, lasts)*7/10, "the bottleneck was busy")

	seen := map[string]uint64{}
	for _, row := range readCapture(t, s.capture,
		"macc.opcode", "macc.cbfc.enbv.c3", "macc.cbfc.pause_time.c3", "ip.dsfield.dscp") {
		switch {
		case row[0] == "":
			require.Equal(t, "24", row[3], "every other frame is a packet of class 3: CS3")
			seen["packet"]++
		case row[2] == "0":
			seen["resume"]++
		default:
			require.Equal(t, []string{"0x0101", "1", "65535"}, row[:3])
			seen["pause"]++
		}
	}
	wanted := map[string]uint64{"pause": pauses, "resume": resumes, "packet": 2 * arrived}
	require.Equal(t, wanted, seen)
}

// TestNone: the same without flow control loses packets, all of them to the full buffer.
func TestNone(t *testing.T) {
	s := defaults()
	s.protocol = "none"
	l, all := steadily(t, s, lasting(2*time.Second))
	missing := l.missing(all, 0) + l.missing(all, 1)
	require.Greater(t, missing, inTime(s, time.Second)/2)
	require.EqualValues(t, missing, all[3].ports[2].Dropped[sluice.BufferFull])
}

// TestVictim: a flow that shares a cable with a flow of an incast. Its share is half of the cable.
// PFC stops the cable for both; protocols that stop less leave the victim its share and more.
func TestVictim(t *testing.T) {
	for _, protocol := range []string{"pfc", "pyrrha", "bfc", "ofc"} {
		t.Run(protocol, func(t *testing.T) {
			s := defaults()
			s.protocol, s.topology = protocol, "victim"
			s.capture = filepath.Join(t.TempDir(), "wire.pcapng")
			var got, share int
			l, all := steadily(t, s, func(l *lab) {
				time.Sleep(500 * time.Millisecond)
				before, began := l.snapshots(), time.Now()
				time.Sleep(2 * time.Second)
				after, lasted := l.snapshots(), time.Since(began)
				got = int(after[7].sinks[0].received - before[7].sinks[0].received)
				share = inTime(s, lasted) / 2
			})
			requireLossless(t, l, all)
			requireDissected(t, s, requireHeard(t, l, all))
			t.Logf("the victim got %d packets, %d %% of its share", got, 100*got/share)
			switch {
			case protocol == "pfc":
				require.Less(t, got, share*6/10)
			case protocol == "bfc" && l.collisions(8, 0) > 0:
				t.Log("both flows have drawn the same queue, which BFC pauses as one")
			default:
				require.Greater(t, got, share*8/10)
			}
		})
	}
}

// TestSixteenPorts: a switch of as many ports as it may have, and fifteen hosts that send to one.
func TestSixteenPorts(t *testing.T) {
	s := defaults()
	s.hosts = maxPorts
	l, all := steadily(t, s, lasting(2*time.Second))
	requireLossless(t, l, all)
	requireHeard(t, l, all)
}

// TestPortFC: hosts that forward, all incast on one.
func TestPortFC(t *testing.T) {
	s := defaults()
	s.protocol, s.topology = "portfc", "ndc"
	s.capture = filepath.Join(t.TempDir(), "wire.pcapng")
	l, all := steadily(t, s, lasting(2*time.Second))
	requireLossless(t, l, all)
	requireDissected(t, s, requireHeard(t, l, all))
}

// requireDissected checks that tshark finds nothing malformed in a capture, and knows its control
// frames. Those between two switches are in it twice.
func requireDissected(t *testing.T, s settings, frames uint64) {
	t.Helper()
	seen := uint64(0)
	for _, row := range readCapture(t, s.capture, "eth.type", "sluice.kind", "macc.opcode") {
		switch row[0] {
		case "0x88b5":
			require.NotEmpty(t, row[1])
			seen++
		case "0x8808":
			require.Equal(t, "0x0101", row[2])
			seen++
		}
	}
	require.NotZero(t, seen)
	require.GreaterOrEqual(t, seen, frames)
}

// readCapture reads fields of all frames, none of which is malformed.
func readCapture(t *testing.T, path string, fields ...string) (rows [][]string) {
	t.Helper()
	script := []string{"-E", "occurrence=f", "-X", "lua_script:../../wireshark/sluice.lua"}
	all := append(fields, "_ws.malformed", "_ws.lua.error")
	for _, row := range tshark.Read(t, path, script, all...) {
		require.Empty(t, strings.Join(row[len(fields):], ""), "%v", row)
		rows = append(rows, row[:len(fields)])
	}
	return rows
}
