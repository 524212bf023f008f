package cc

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// badAndGood are values that a field of a type must not and may have, at its limits.
func badAndGood(field reflect.Value) (bad, good []any) {
	switch field.Interface().(type) {
	case sluice.Ratio:
		return []any{
			sluice.Ratio{Num: -1, Den: 2}, sluice.Ratio{Num: 1}, sluice.Ratio{},
			sluice.Ratio{Num: 65, Den: 1}, sluice.Ratio{Num: -1, Den: -2},
		}, []any{sluice.Ratio{Num: 1, Den: 2}}
	case sluice.Time:
		return []any{sluice.Time(-1), MaxSpan + 1}, []any{MaxSpan}
	case sluice.Bytes:
		return []any{sluice.Bytes(-1), MaxAmount + 1}, []any{sluice.Bytes(1), MaxAmount}
	case sluice.Rate:
		return []any{sluice.Rate(-1), MaxRate + 1}, []any{sluice.Rate(1), MaxRate}
	case int32:
		return []any{int32(-1), int32(1<<16 + 1)}, []any{int32(0), int32(1 << 16)}
	}
	return nil, nil
}

// requireRules sets each field of a structure to what it may and must not be.
func requireRules(t *testing.T, prefix string, structure reflect.Value, check func() error) {
	for n := range structure.NumField() {
		field := structure.Field(n)
		name := prefix + structure.Type().Field(n).Name
		if field.Type() == reflect.TypeFor[PointConfig]() {
			continue // NewCongestionPoint's
		}
		before := field.Interface()
		bad, good := badAndGood(field)
		for _, v := range bad {
			field.Set(reflect.ValueOf(v))
			var e *sluice.ConfigError
			require.ErrorAs(t, check(), &e, "%s = %v", name, v)
			require.Equal(t, "cc", e.Package)
			if e.Field != name {
				require.Equal(t, prefix+"High", e.Field, "%s = %v", name, v)
			}
		}
		for _, v := range good {
			field.Set(reflect.ValueOf(v))
			if !strings.HasSuffix(name, "Low") && name != "IBCC.Min" {
				require.NoError(t, check(), "%s = %v", name, v)
			}
		}
		field.Set(reflect.ValueOf(before))
	}
}

// TestConfigRules: each field is refused where it breaks its rule, by name, and accepted at its
// limits.
func TestConfigRules(t *testing.T) {
	for kind := range numKinds {
		config := defaults(t, kind)
		check := func() error {
			_, err := New(config)
			return err
		}
		if kind != None {
			name := map[Kind]string{
				DCQCN: "DCQCN", DCQCNHPCC: "DCQCNHPCC", Timely: "Timely", TimelyPCN: "TimelyPCN", HPCC: "HPCC",
				QCN: "QCN", DCTCP: "DCTCP", IBCC: "IBCC", PCN: "PCN",
			}[kind.family()]
			requireRules(t, name+".", reflect.ValueOf(&config).Elem().FieldByName(name), check)
		}
		for _, change := range []struct {
			field string
			make  func()
		}{
			{"Kind", func() { config.Kind = numKinds }},
			{"Window", func() { config.Window = -1 }}, {"Window", func() { config.Window = MaxAmount + 1 }},
			{"BaseRTT", func() { config.BaseRTT = -1 }},
			{"BaseRTT", func() { config.BaseRTT = MaxSpan + 1 }},
			{"Packet", func() { config.Packet = -1 }}, {"Packet", func() { config.Packet = MaxAmount + 1 }},
		} {
			before := config
			change.make()
			var e *sluice.ConfigError
			require.ErrorAs(t, check(), &e, change.field)
			require.Equal(t, change.field, e.Field)
			config = before
		}
	}
	config := defaults(t, HPCC)
	config.BaseRTT = 0
	_, err := New(config)
	require.ErrorContains(t, err, "BaseRTT")
	config.HPCC.RTT = us
	_, err = New(config)
	require.NoError(t, err)
	for _, kind := range []Kind{Timely, TimelyPCN} {
		config := defaults(t, kind)
		config.Timely.High, config.TimelyPCN.High = 50*us-1, 50*us-1
		_, err := New(config)
		require.ErrorContains(t, err, "High")
	}
	point := defaults(t, QCN).QCN.Point
	requireRules(t, "QCN.Point.", reflect.ValueOf(&point).Elem(), func() error {
		_, err := NewCongestionPoint(point, 0)
		return err
	})
}

// TestParameters: every parameter changes the configuration of its kind and of no other, and is
// within what New accepts.
func TestParameters(t *testing.T) {
	r, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	for _, d := range r.Definitions() {
		value := map[params.Kind]string{
			params.Rational: "1/3", params.Time: "777us", params.Bytes: "777B", params.Rate: "777Mbps",
			params.Int: "7", params.Bool: map[string]string{"on": "off", "off": "on"}[d.Default],
		}[d.Kind]
		if d.Kind == params.Choice {
			value = d.Choices[len(d.Choices)-1]
		}
		switch d.Name {
		case "timely.tlow", "timely-pcn.tlow":
			value = "7us"
		case "ibcc.becn":
			value = "777us"
		}
		v, err := r.Parse(d.Name + "=" + value)
		require.NoError(t, err)
		for kind := range numKinds {
			section, _, _ := strings.Cut(d.Name, ".")
			config := Configure(kind, v)
			config.BaseRTT, config.Packet, config.Seed = 13*us, 1048, 1
			same := reflect.DeepEqual(defaults(t, kind), config)
			require.Equal(t, kind.family().String() != section, same, "%s under %v", d.Name, kind)
			_, err := New(config)
			require.NoError(t, err, d.Name)
		}
	}
}
