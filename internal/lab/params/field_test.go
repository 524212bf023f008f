package params_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// all has a variable of every kind that a parameter can be bound to.
type all struct {
	bytes    sluice.Bytes
	time     sluice.Time
	rate     sluice.Rate
	ratio    sluice.Ratio
	number   int
	small    uint8
	flag     bool
	not      bool
	named    bool
	word     string
	list     string
	pointer  *sluice.Bytes
	constant bfc.Assignment
	zero     sluice.Time
}

func (a *all) parameters() []params.Field {
	return params.In("all",
		params.Bind("bytes", &a.bytes, "1KB", ""), params.Bind("time", &a.time, "", ""),
		params.Bind("rate", &a.rate, "1Gbps", ""),
		params.Bind("ratio", &a.ratio, "1/2", "").Range(">0", "<1"),
		params.Bind("number", &a.number, "", ""), params.Bind("small", &a.small, "", ""),
		params.Bind("flag", &a.flag, "", ""),
		params.Bind("not", &params.Opposite{Not: &a.not}, "on", ""),
		params.Bind("named", &a.named, "", "").Of("no", "yes"),
		params.Bind("word", &a.word, "b", "").Of("a", "b"),
		params.Bind("list", &a.list, "", "").List("some", "none"),
		params.Bind("pointer", &a.pointer, "", ""),
		params.Bind("constant", &a.constant, "", "").But("static-hash"),
		params.Bind("zero", &a.zero, "", "").Zero(sluice.Never),
	)
}

func parse(t *testing.T, set string) (*params.Values, error) {
	r, err := params.NewRegistry(params.Definitions(new(all).parameters()))
	require.NoError(t, err)
	return r.Parse(set)
}

// A field's variable takes what was set, or else the default, or stays what it was.
func TestFill(t *testing.T) {
	v, err := parse(t, "")
	require.NoError(t, err)
	preset := all{number: 7, not: true, time: 5}
	preset.parameters()
	v.Fill(preset.parameters())
	half := sluice.Ratio{Num: 1, Den: 2}
	require.Equal(t, all{
		bytes: 1000, time: 5, rate: sluice.Gbps, ratio: half, number: 7, word: "b",
	}, preset)
	var alone all
	(*params.Values)(nil).Fill(alone.parameters())
	require.Equal(t, all{bytes: 1000, rate: sluice.Gbps, ratio: half, word: "b"}, alone)

	v, err = parse(t, "bytes=2KB,time=3ns,rate=0,ratio=1/3,number=9,small=255,flag=on,not=off,"+
		"named=yes,word=a,list=some+3,pointer=0,constant=last freed,zero=0")
	require.NoError(t, err)
	var set all
	v.Fill(set.parameters())
	require.Zero(t, *set.pointer, "it was set to 0")
	set.pointer = nil
	require.Equal(t, all{
		bytes: 2000, time: 3 * sluice.Nanosecond, ratio: sluice.Ratio{Num: 1, Den: 3}, number: 9,
		small: 255, flag: true, not: true, named: true, word: "a", list: "some+3",
		constant: bfc.LastFreed, zero: sluice.Never,
	}, set)
	require.True(t, v.WasRead("number"))
}

// The type's String names the constants, with blanks or hyphens, or by a word that no other name
// has.
func TestConstants(t *testing.T) {
	for text, want := range map[string]bfc.Assignment{
		"random-scan": bfc.RandomScan, "random scan": bfc.RandomScan, "lowest": bfc.LowestFree,
		"Last-Freed": bfc.LastFreed, "freed": bfc.LastFreed,
	} {
		v, err := parse(t, "constant="+text)
		require.NoError(t, err, text)
		var a all
		v.Fill(a.parameters())
		require.Equal(t, want, a.constant, text)
	}
	for set, rule := range map[string]string{
		"constant=static-hash": "must be one of random-scan, lowest-free, last-freed",
		"constant=sticky":      "must be one of",
		"ratio=0":              "must be above 0", "ratio=1": "must be below 1",
		"small=256": "must be at most 255", "small=-1": "must not be negative",
	} {
		_, err := parse(t, set)
		require.ErrorContains(t, err, rule, set)
	}
	require.Equal(t, "rational, above 0, below 1",
		params.Definitions(new(all).parameters())[3].Values())
	require.Panics(t, func() { params.Bind("x", new(float64), "", "") })
}

// config has a check that knows its ranges.
type config struct{ Queues, Other int }

func (c *config) check() error {
	if c.Queues < 0 || c.Queues > 9 {
		return &sluice.ConfigError{
			Package: "params_test", Type: "config", Field: "Queues", Value: c.Queues,
			Rule: "must be 0 to 9",
		}
	}
	return nil
}

// The check of a configuration is asked for the range of a field, which has its value as before,
// and its errors name the parameter that was set.
func TestChecked(t *testing.T) {
	c := &config{Queues: 3}
	fields := params.Checked(c, c.check,
		params.Bind("queues", &c.Queues, "", ""), params.Bind("other", &c.Other, "", ""))
	definitions := params.Definitions(fields)
	require.Equal(t, "int, 0 to 9", definitions[0].Values())
	require.Equal(t, "int", definitions[1].Values())
	require.Equal(t, 3, c.Queues)

	r, err := params.NewRegistry(definitions)
	require.NoError(t, err)
	v, err := r.Parse("queues=12,other=12")
	require.NoError(t, err)
	v.Fill(fields)
	require.EqualError(t, v.Explain(c.check(), fields),
		"params_test: config.Queues = 12: must be 0 to 9 (parameter queues=12)")
	other := errors.New("other")
	require.Equal(t, other, v.Explain(other, fields))
	require.NoError(t, v.Explain(nil, fields))
}
