package check_test

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// Faults that only the programs of OFC and PortFC can have are found, and named by table, key and
// rule.
func TestFaultsOfProtocolsAreFound(t *testing.T) {
	for _, one := range []struct{ protocol, name, file, from, to, says string }{
		{"ofc", "a class of queues of another", list,
			`"key":{"traffic_class":4},"data":{"queue":12}`, `"key":{"traffic_class":4},"data":{"queue":14}`,
			"traffic_class=5: queue 15 is the queue of class 4 too"},
		{"ofc", "a word of another class", list,
			`"key":{"traffic_class":4},"data":{"queue":12}`, `"key":{"traffic_class":4},"data":{"queue":25}`,
			"port=1 traffic_class=4 queue=2: word: is of queue 14 of port 138, class_queue and port_in " +
				"say queue 27 of port 138"},
		{"ofc", "resumes above what pauses", list, `"resume":256`, `"resume":400`,
			"limits, ingress=0: resume 400: flows are paused above 386 already"},
		{"ofc", "flows paused above the class", list, `"congested":386`, `"congested":427`,
			"limits, ingress=0: congested 427: a whole class is paused above 426 already"},
		{"ofc", "two rows by one hash", "ofc_packets.p4", "(0x1EDC6F41,", "(0x04C11DB7,",
			"is the same function as"},
		{"ofc", "backup queues of a port open at first", list, `"batch_count_cfg":2`,
			`"batch_count_cfg":1`, "app_id=1: 2 batches: there are 3 ports"},
		{"ofc", "no packets that hold backup queues", list, `"pktgen_enable":true`,
			`"pktgen_enable":false`,
			"app_id=1: port 6 of the pipe does not generate: pktgen_enable"},
		{"ofc", "moved packets that go nowhere", list, `"recirculation_enable":true`,
			`"recirculation_enable":false`,
			"$mirror.cfg, $sid=4: port 134 does not send round: recirculation_enable"},
		{"ofc", "frames of two ports numbered as one", list,
			`"key":{"port":138},"data":{"index":1,"source"`, `"key":{"port":138},"data":{"index":0,"source"`,
			"has the same index 0"},
		{"portfc", "signal to the congested port too", list,
			`"data":{"group":1,"excluded":2}`, `"data":{"group":1,"excluded":3}`,
			"others, port=1: $pre.prune 3 does not leave out port 16 alone"},
		{"portfc", "signal to no group", list, `"data":{"group":1,"excluded":2}`,
			`"data":{"group":2,"excluded":2}`, "others, port=1: group 2 is not in $pre.mgid"},
		{"portfc", "port that hears no signal", list, `"$DEV_PORT":[8,16,24,32]`, `"$DEV_PORT":[8,16,32]`,
			"others, port=0: group 1 does not have port 24"},
		{"portfc", "X_on above X_off", list,
			`"kind":2,"queue_class":1,"port":0},"data":{"limit":2840`,
			`"kind":2,"queue_class":1,"port":0},"data":{"limit":9840`,
			"limit 9840: the queues are paused at 4262"},
		{"portfc", "two digits in one IHFQ", list, `"data":{"qid":2}`, `"data":{"qid":1}`,
			"has the same qid 1: a pause would hold both"},
	} {
		t.Run(one.name, func(t *testing.T) {
			p, cfg, err := samples.Protocols()[one.protocol]()
			require.NoError(t, err)
			files := written(t, p, cfg)
			content := files[one.file].Data
			require.True(t, bytes.Contains(content, []byte(one.from)), "the file has no %s", one.from)
			files[one.file] = &fstest.MapFile{
				Data: bytes.Replace(content, []byte(one.from), []byte(one.to), 1),
			}
			assert.Contains(t, said(t, files), one.says)
		})
	}
}
