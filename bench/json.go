package main

import (
	"encoding/json"
	"io"
)

// record is the JSON object of one protocol. Keys keep this order. For one seed and one set of
// parameters every byte is the same in every run, except wall_s and peak_rss_bytes.
type record struct {
	Scenario         string           `json:"scenario"`
	FC               string           `json:"fc"`
	Seed             uint64           `json:"seed"`
	Flows            int              `json:"flows"`
	Completed        int              `json:"completed"`
	DroppedPackets   int64            `json:"dropped_packets"`
	ReorderedPackets int64            `json:"reordered_packets"`
	PacketHops       int64            `json:"packet_hops"`
	Events           int64            `json:"events"`
	SimulatedUS      float64          `json:"simulated_us"`
	WallS            float64          `json:"wall_s"`
	PeakRSSBytes     int64            `json:"peak_rss_bytes"`
	MaxSwitchBytes   int64            `json:"max_switch_bytes"`
	MaxPortBytes     int64            `json:"max_port_bytes"`
	ControlFrames    map[string]int64 `json:"control_frames"` // by kind; encoding sorts the keys
	FCTUS            groupSummaries   `json:"fct_us"`
	Slowdown         groupSummaries   `json:"slowdown"`
}

func makeRecord(o *outcome) record {
	r := o.result
	frames := r.ControlFrames
	if frames == nil {
		frames = map[string]int64{}
	}
	return record{
		Scenario: o.scenario, FC: o.fc, Seed: o.seed,
		Flows: len(r.Flows), Completed: r.Completed,
		DroppedPackets: r.Dropped, ReorderedPackets: r.Reordered,
		PacketHops: r.PacketHops, Events: r.Events,
		SimulatedUS: round6(r.Simulated.Microseconds()), WallS: r.Wall.Seconds(), PeakRSSBytes: o.peakRSS,
		MaxSwitchBytes: int64(r.MaxSwitchBytes), MaxPortBytes: int64(r.MaxPortBytes),
		ControlFrames: frames,
		FCTUS:         o.fct, Slowdown: o.slowdown,
	}
}

// writeJSON writes one array with an object a protocol, in the order of the runs.
func writeJSON(w io.Writer, outcomes []*outcome) error {
	records := make([]record, 0, len(outcomes))
	for _, o := range outcomes {
		records = append(records, makeRecord(o))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(records)
}
