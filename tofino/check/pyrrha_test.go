package check_test

import (
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// Faults that only a program of congestion roots can have: copies of a thread, stacks of free slots
// and queues, numbers of roots, thresholds. The first match of a pattern in the list of entries is
// replaced.
func TestSeededFaultsOfPyrrhaAreFound(t *testing.T) {
	p, cfg, err := samples.Protocols()["pyrrha"]()
	require.NoError(t, err)
	sound := written(t, p, cfg)
	require.Empty(t, said(t, sound))
	for _, one := range []struct{ name, from, to, says string }{
		{"a port without a copy", `"\$MULTICAST_NODE_ID":\[257,258,`, `"$$MULTICAST_NODE_ID":[258,`,
			"node 258 is copy 2 where copy 1 must be"},
		{"a copy that is not there", `"\$MULTICAST_NODE_ID":\[257,258,`,
			`"$$MULTICAST_NODE_ID":[257,999,`, "node 999 goes to a front port"},
		{"copies in another order", `"\$MULTICAST_NODE_ID":\[257,258,`, `"$$MULTICAST_NODE_ID":[258,257,`,
			"copies are numbered from 1, in order"},
		{"two copies with one number", `(\{"\$MULTICAST_NODE_ID":258\}.*?"\$MULTICAST_RID":)2`, "${1}1",
			"node 258 is copy 1 where copy 2 must be"},
		{"a MERGE in another pipe", `(\{"\$MULTICAST_NODE_ID":258\}.*?"\$DEV_PORT":\[)134`, "${1}262",
			"registers are of one pipe"},
		{"a copy to a front port", `(\{"\$MULTICAST_NODE_ID":259\}.*?"\$DEV_PORT":\[)134`, "${1}136",
			"goes to a front port, others of the group go round"},
		{"copies that do not come back", `(?m)^.*tf2\.pktgen\.port_cfg.*\n`, "",
			"by which nothing goes round"},
		{"a slot that two roots get", `(slot_id".*?"\$REGISTER_INDEX":257\}.*?)254`, "${1}255",
			"it would be given twice"},
		{"a queue that no set gets", `(?m)^.*free_id".*"\$REGISTER_INDEX":1\}.*\n`, "",
			"nothing at place 1 of the stack"},
		{"a stack of one pipe", `("table_name":"pipe\.Ingress\.free_id".*?"pipe":)65535`, "${1}1",
			"a stack of pipe 1: other pipes begin with another"},
		{"two roots with one number",
			`("pipe\.Ingress\.root_number".*?"to_level":1,"to_level_set":2,"to_number":)1\b`, "${1}0",
			"has the number 0 at distance 1 too"},
		{"a number beyond the array", `("pipe\.Ingress\.root_number".*?"to_level":1,"to_level_set":2,"to_number":)1\b`,
			"${1}999", "no register has it"},
		{"a root with the set of another level",
			`("pipe\.Ingress\.root_number".*?"to_level":1,"to_level_set":)2`, "${1}1",
			"the set of distance 1 is 1"},
		{"an old root with another number",
			`("pipe\.Ingress\.old_number".*?"to_old_level":1,"to_old_number":)1\b`,
			"${1}2", "root_number says 1 at distance 1"},
		{"a root that cannot merge",
			`(?m)^.*"pipe\.Ingress\.old_number".*"to_old_level":1,"to_old_number":1\b.*\n`,
			"", "is missing: root_number has it"},
		{"a threshold that resumes what it pauses", `("to_beyond":\d+,"to_resume":)\d+`, "${1}9999",
			"between the two it would do both"},
		{"a threshold that the program never looks at", `("to_resume":\d+,"to_most":)\d+`, "${1}3",
			"looks for upstreams to resume only up to 3"},
		{"frames back by another port", `("pipe\.Ingress\.peers".*?"to_back":)\d+`, "${1}144",
			"port_in says otherwise"},
		{"a port with the state of another", `("pipe\.Ingress\.port_out".*?"to_egress":)0`, "${1}1",
			"port_in says otherwise"},
	} {
		t.Run(one.name, func(t *testing.T) {
			content := string(sound[list].Data)
			at := regexp.MustCompile(one.from).FindStringSubmatchIndex(content)
			require.NotNil(t, at, "no %s", one.from)
			made := content[:at[0]] + string(regexp.MustCompile(one.from).ExpandString(nil, one.to, content,
				at)) + content[at[1]:]
			files := fstest.MapFS{}
			for name, file := range sound {
				files[name] = file
			}
			files[list] = &fstest.MapFile{Data: []byte(made)}
			assert.Contains(t, said(t, files), one.says)
		})
	}
}
