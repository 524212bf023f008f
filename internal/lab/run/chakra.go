package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// chakraOptions are what a job of a trace of Chakra may say.
var chakraOptions = []params.Definition{
	{Name: "allreduce", Kind: params.Choice, Default: "ring", Choices: aroundOrNot},
	{Name: "allgather", Kind: params.Choice, Default: "ring", Choices: aroundOrNot},
	{Name: "reducescatter", Kind: params.Choice, Default: "ring", Choices: aroundOrNot},
	{Name: "alltoall", Kind: params.Choice, Default: "direct",
		Choices: []string{"direct", "pairwise"}},
	{Name: "direct", Kind: params.Bytes, Default: "0", Max: "1000000GB"},
	{Name: "peakperf", Kind: params.Int, Default: "0", Max: "1000000"},
	{Name: "localmem", Kind: params.Int, Default: "0", Max: "1000000"},
	{Name: "remotemem", Kind: params.Int, Default: "0", Max: "1000000"},
	{Name: "remotelatency", Kind: params.Time, Default: "0", Max: "1s"},
	{Name: "groups", Kind: params.Choice, Default: "trace", Choices: []string{"trace"},
		Files: true},
}

var aroundOrNot = []string{"ring", "direct", "halving"}

// isChakra reports whether a job is the common beginning of the names of a trace's files.
func (j *jobSpec) isChakra() bool {
	if _, err := os.Stat(j.what); err == nil {
		return false
	}
	_, err := os.Stat(chakraName(j.what, 0))
	return err == nil
}

func chakraName(prefix string, rank int) string { return fmt.Sprintf("%s.%d.et", prefix, rank) }

// chakra reads a trace, which has a file for each rank, numbered from 0.
func (j *jobSpec) chakra(mayWindow bool) (*schedule.Schedule, error) {
	ranks := 1
	for ; ; ranks++ {
		if _, err := os.Stat(chakraName(j.what, ranks)); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if all, err := filepath.Glob(j.what + ".*.et"); err == nil && len(all) != ranks {
		return nil, fmt.Errorf("%d files %s.*.et, and no %s: ranks must be numbered from 0", len(all),
			j.what, chakraName(j.what, ranks))
	}
	v := j.values
	o := schedule.ChakraOptions{
		AllReduce: v.String("allreduce"), AllGather: v.String("allgather"),
		ReduceScatter: v.String("reducescatter"), AllToAll: v.String("alltoall"),
		DirectUpTo: v.Bytes("direct"), PeakPerf: v.Int("peakperf"), LocalMemBW: v.Int("localmem"),
		RemoteMemBW: v.Int("remotemem"), RemoteMemLatency: v.Time("remotelatency"),
	}
	if path, is := strings.CutPrefix(v.String("groups"), params.FilePrefix); is {
		err := readFile(path, func(r io.Reader) error {
			if err := json.NewDecoder(r).Decode(&o.Groups); err != nil {
				return &textfile.FileError{Name: path, Message: err.Error(), Err: err}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	open := func(rank int) (io.ReadCloser, string, error) {
		name := chakraName(j.what, rank)
		file, err := os.Open(name)
		if err != nil {
			err = fmt.Errorf("cannot read: %w", err)
		}
		return file, name, err
	}
	names := make([]string, ranks)
	for rank := range names {
		names[rank] = chakraName(j.what, rank)
	}
	if window := j.window(names...); mayWindow && window > 0 {
		return schedule.ReadChakraInWindow(ranks, open, o, j.what, window)
	}
	return schedule.ReadChakra(ranks, open, o)
}
