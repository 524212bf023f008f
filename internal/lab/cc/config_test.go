package cc

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// TestConfigRules: what is wrong is refused by name.
func TestConfigRules(t *testing.T) {
	for _, kind := range kinds {
		config := defaults(t, kind)
		for _, change := range []struct {
			field string
			make  func()
		}{
			{"Window", func() { config.Window = -1 }}, {"Window", func() { config.Window = MaxAmount + 1 }},
			{"BaseRTT", func() { config.BaseRTT = -1 }},
			{"BaseRTT", func() { config.BaseRTT = MaxSpan + 1 }},
			{"Packet", func() { config.Packet = -1 }}, {"Packet", func() { config.Packet = MaxAmount + 1 }},
		} {
			before := config
			change.make()
			_, err := New(config)
			var e *sluice.ConfigError
			require.ErrorAs(t, err, &e, change.field)
			require.Equal(t, "cc", e.Package)
			require.Equal(t, change.field, e.Field)
			config = before
		}
	}
	config := Config{Kind: HPCC}
	_, err := New(config)
	require.ErrorContains(t, err, "BaseRTT")
	config.Values = values(t, "hpcc.rtt=1us")
	_, err = New(config)
	require.NoError(t, err)
}

// TestConstantsThatContradict: parameters that are each in their range, and do not go together.
func TestConstantsThatContradict(t *testing.T) {
	for set, want := range map[string]string{
		"timely.thigh=49us":          "parameter timely.thigh: must be at least timely.tlow",
		"timely-pcn.thigh=49us":      "parameter timely-pcn.thigh: must be at least timely-pcn.tlow",
		"ibcc.min=128":               "parameter ibcc.limit: must be at least ibcc.min",
		"ibcc.step=1/2000001":        "parameter ibcc.step=1/2000001: must have terms of at most 2^20",
		"pcn.wmin=3/4":               "pcn: RPConfig.WMin = 3/4",
		"pcn.share=1/2000001":        "(parameter pcn.share=1/2000001)",
		"qcn.weight=65":              "(parameter qcn.weight=65)",
		"qcn.base=0":                 "(parameter qcn.base=0)",
		"qcn.setpoint=1001GB":        "(parameter qcn.setpoint=1001GB)",
		"pcn.wmin=1/3,pcn.wmax=1/4 ": "pcn: RPConfig.WM",
	} {
		section, _, _ := strings.Cut(set, ".")
		_, err := New(Config{Kind: Find(section), Values: values(t, set)})
		require.ErrorContains(t, err, want, set)
	}
}

// TestRanges: a constant is refused beyond its range, and accepted at its ends.
func TestRanges(t *testing.T) {
	r, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	ends := map[params.Kind]struct{ bad, good []string }{
		params.Rational: {[]string{"-1/2", "65", "2"}, []string{"1/2"}},
		params.Time:     {[]string{"-1ns", "1001s", "never"}, []string{"1us", "1s"}},
		params.Bytes:    {[]string{"-1B"}, []string{"1B", "1000GB"}},
		params.Rate:     {[]string{"-1bps", "0", "10.1Tbps"}, []string{"1bps", "10Tbps"}},
		params.Int:      {[]string{"-1", "65537"}, []string{"0", "65536"}},
	}
	for _, d := range r.Definitions() {
		for _, bad := range ends[d.Kind].bad {
			if d.Name != "qcn.weight" { // of CongestionPoint's check
				_, err := r.Parse(d.Name + "=" + bad)
				require.ErrorContains(t, err, "parameter "+d.Name+"="+bad)
			}
		}
		for _, good := range ends[d.Kind].good {
			_, err := r.Parse(d.Name + "=" + good)
			require.NoError(t, err)
		}
	}
}

// TestParameters: every parameter changes the control of its kind and of no other.
func TestParameters(t *testing.T) {
	made := func(kind *Kind, values *params.Values, name string) *Control {
		config := defaults(t, kind)
		config.Values = values
		c, err := New(config)
		require.NoError(t, err, name)
		c.config.Values = nil
		return c
	}
	for _, d := range Definitions() {
		value := map[params.Kind]string{
			params.Rational: "1/3", params.Time: "777us", params.Bytes: "777B", params.Rate: "777Mbps",
			params.Int: "7", params.Bool: map[string]string{"on": "off", "off": "on"}[d.Default],
		}[d.Kind]
		if d.Kind == params.Choice {
			value = d.Choices[len(d.Choices)-1]
		}
		if strings.HasSuffix(d.Name, ".tlow") {
			value = "7us"
		}
		section, _, _ := strings.Cut(d.Name, ".")
		for _, kind := range kinds {
			same := reflect.DeepEqual(made(kind, nil, ""), made(kind, values(t, d.Name+"="+value), d.Name))
			of := kind
			if kind.base != nil {
				of = kind.base
			}
			require.Equal(t, of.Name != section, same, "%s under %v", d.Name, kind)
		}
	}
}
