package report

import (
	"bufio"
	"encoding/csv"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

const csvHeader = "src,dst,bytes,start_ns,fct_ns,ideal_ns\n"

// writeCSV writes one line per flow, in the order of the input. Times are rounded to the nearest
// nanosecond; fct_ns is empty for a flow that did not complete.
func WriteFlows(w io.Writer, flows []sim.FlowResult) error {
	buffered := bufio.NewWriter(w)
	buffered.WriteString(csvHeader)
	var line []byte
	for i := range flows {
		f := &flows[i]
		line = strconv.AppendUint(line[:0], uint64(f.Src), 10)
		line = append(line, ',')
		line = strconv.AppendUint(line, uint64(f.Dst), 10)
		line = append(line, ',')
		line = strconv.AppendInt(line, int64(f.Bytes), 10)
		line = appendNanoseconds(append(line, ','), f.Start)
		line = append(line, ',')
		if f.FCT != sluice.Never {
			line = appendNanoseconds(line, f.FCT)
		}
		line = appendNanoseconds(append(line, ','), f.Ideal)
		buffered.Write(append(line, '\n'))
	}
	return buffered.Flush() // reports the first error of all writes
}

func appendNanoseconds(dst []byte, t sluice.Time) []byte {
	return strconv.AppendInt(dst, int64((t+sluice.Nanosecond/2)/sluice.Nanosecond), 10)
}

// ProtocolPath returns the file for one protocol: path itself if the run has only one, else
// FILE.<fc>.csv for FILE.csv.
func ProtocolPath(path, fc string, protocols int) string {
	if protocols == 1 || path == "" || path == "-" {
		return path
	}
	extension := filepath.Ext(path)
	// a variant is named as its parameter: w_min of 1/128 makes no folder
	return strings.TrimSuffix(path, extension) + "." + strings.ReplaceAll(fc, "/", "-") + extension
}

func WriteRows(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	_ = out.WriteAll(rows) // Error returns the first error
	return out.Error()
}
