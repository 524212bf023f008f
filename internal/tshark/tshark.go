// Package tshark lets tests compare frames with what Wireshark's dissectors read in them.
package tshark

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

// Link types of capture files.
const (
	Ethernet uint32 = 1
	ERF      uint32 = 197 // Endace's extensible record format
)

// Fields returns a row for each frame with the values of the given fields, by their names as
// display filters, the empty string where a frame has none, and the first value of several.
// Booleans are 0 and 1 in every version. It skips the test if tshark is not on the PATH, or fails
// it if the environment has SLUICE_REQUIRE_TSHARK.
func Fields(t testing.TB, linkType uint32, frames [][]byte, fields ...string) [][]string {
	t.Helper()
	rows := Read(t, write(t, linkType, frames), []string{"-E", "occurrence=f"}, fields...)
	require.Len(t, rows, len(frames))
	return rows
}

// AllFields is Fields with a dissector in Lua, and with all values of a field that a frame has
// several of, with semicolons between them.
func AllFields(
	t testing.TB, linkType uint32, frames [][]byte, script string, fields ...string,
) [][]string {
	t.Helper()
	path := write(t, linkType, frames)
	rows := Read(t, path, []string{"-E", "aggregator=;", "-X", "lua_script:" + script}, fields...)
	require.Len(t, rows, len(frames))
	return rows
}

func write(t testing.TB, linkType uint32, frames [][]byte) (path string) {
	path = filepath.Join(t.TempDir(), "frames.pcap")
	require.NoError(t, os.WriteFile(path, capture(linkType, frames), 0o600))
	return path
}

// Read returns a row for each frame of a capture file, with more arguments for tshark.
func Read(t testing.TB, path string, more []string, fields ...string) [][]string {
	t.Helper()
	depth.Need(t, "TSHARK", "tshark")
	arguments := append(
		[]string{"-r", path, "-T", "fields", "-E", "separator=,", "-E", "quote=d"}, more...,
	)
	for _, field := range fields {
		arguments = append(arguments, "-e", field)
	}
	command := exec.Command("tshark", arguments...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	require.NoError(t, err, complaints.String())
	require.NotContains(t, complaints.String(), "Lua: Error")
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	require.NoError(t, err)
	for _, row := range rows {
		for i, text := range row {
			switch text {
			case "False":
				row[i] = "0"
			case "True":
				row[i] = "1"
			}
		}
	}
	return rows
}

// capture returns a capture file in libpcap's format, version 2.4.
func capture(linkType uint32, frames [][]byte) []byte {
	const magic, longest = 0xa1b2c3d4, 65535
	var b []byte
	for _, x := range [...]uint32{magic, 2<<16 | 4, 0, 0, longest, linkType} {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	for i, frame := range frames {
		n := uint32(len(frame))
		for _, x := range [...]uint32{uint32(i), 0, n, n} { // seconds, microseconds, kept, on the wire
			b = binary.BigEndian.AppendUint32(b, x)
		}
		b = append(b, frame...)
	}
	return b
}
