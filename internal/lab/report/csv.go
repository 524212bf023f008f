package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// WriteFlows writes a line per flow, in the order of the input. Times are rounded to the nearest
// nanosecond; fct_ns is empty for a flow that did not complete.
func WriteFlows(w io.Writer, o *run.Outcome) error {
	b := bufio.NewWriter(w)
	b.WriteString("src,dst,bytes,start_ns,fct_ns,ideal_ns\n")
	o.EachFlow(func(f *sim.FlowResult, _ workload.Group) {
		fct := ""
		if f.FCT != sluice.Never {
			fct = nanoseconds(f.FCT)
		}
		fmt.Fprintf(b, "%d,%d,%d,%s,%s,%s\n", f.Src, f.Dst, int64(f.Bytes), nanoseconds(f.Start), fct,
			nanoseconds(f.Ideal))
	})
	if m := o.Result.Messages; m != nil && m.Err() != nil {
		return m.Err()
	}
	return b.Flush() // reports the first error of all writes
}

func nanoseconds(t sluice.Time) string {
	return strconv.FormatInt(int64((t+sluice.Nanosecond/2)/sluice.Nanosecond), 10)
}

// ProtocolPath returns the file for one protocol: path itself if the run has only one, else
// FILE.<fc>.csv for FILE.csv.
func ProtocolPath(path, fc string, protocols int) string {
	if protocols == 1 || path == "" || path == "-" {
		return path
	}
	extension := filepath.Ext(path)
	// A variant's name can have a slash, as w_min of 1/128 has: it makes no folder.
	return strings.TrimSuffix(path, extension) + "." + strings.ReplaceAll(fc, "/", "-") + extension
}

func WriteRows(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	_ = out.WriteAll(rows) // Error returns the first error
	return out.Error()
}
