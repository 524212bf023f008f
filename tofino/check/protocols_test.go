package check_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// Nothing is found in what is emitted of any protocol.
func TestNothingInProtocols(t *testing.T) {
	for name, protocol := range samples.Protocols() {
		p, cfg, err := protocol()
		require.NoError(t, err, name)
		assert.Empty(t, said(t, written(t, p, cfg)), name)
	}
}

// The check finds by itself a word that names the queue after its own, in every program that sends
// words.
func TestNeighboursWordsInProtocols(t *testing.T) {
	word := regexp.MustCompile(`"table_name":"pipe\.Ingress\.afc".*?"data":\{"\w+":(\d+)`)
	for _, name := range []string{"bfc", "bfc-ghost", "ofc", "portfc"} {
		p, cfg, err := samples.Protocols()[name]()
		require.NoError(t, err)
		files := written(t, p, cfg)
		content := string(files[list].Data)
		at := word.FindStringSubmatchIndex(content)
		require.NotNil(t, at, name)
		number, err := strconv.Atoi(content[at[2]:at[3]])
		require.NoError(t, err)
		files[list] = &fstest.MapFile{
			Data: []byte(content[:at[2]] + strconv.Itoa(number+1<<15) + content[at[3]:]),
		}
		found := said(t, files)
		assert.Contains(t, found, "pipe.Ingress.afc", name)
		assert.Contains(t, found, "has it too", name)

		frames := strings.Replace(string(files["common.p4"].Data),
			"    bit<8> type; \\\n    bit<8> flags; \\\n", "    bit<8> flags; \\\n    bit<8> type; \\\n", 1)
		files["common.p4"] = &fstest.MapFile{Data: []byte(frames)}
		assert.Contains(
			t, said(t, files), "hdr.signal.type is 0x0, the frame's type is 0x1", name,
		)
	}
}
