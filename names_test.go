package sluice_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// TestECN has the code points of RFC 3168, section 5, figure 1: 00 Not-ECT, 01 ECT(1), 10 ECT(0),
// 11 CE.
func TestECN(t *testing.T) {
	require.EqualValues(t, 0b00, sluice.NotECT)
	require.EqualValues(t, 0b01, sluice.ECT1)
	require.EqualValues(t, 0b10, sluice.ECT0)
	require.EqualValues(t, 0b11, sluice.CE)
	require.Equal(t, sluice.ECT0, sluice.UE, "TCD: undetermined experienced")
	require.True(
		t, sluice.NotECT < sluice.ECT1 && sluice.ECT1 < sluice.UE && sluice.UE < sluice.CE,
		"max overrides",
	)
	for want, e := range map[string]sluice.ECN{
		"NotECT": 0, "ECT1": 1, "ECT0": 2, "CE": 3, "ECN(4)": 4, "ECN(255)": 255,
	} {
		require.Equal(t, want, e.String())
	}
}

func TestEveryReasonHasAName(t *testing.T) {
	seen := map[string]bool{}
	for r := range sluice.NumReasons {
		name := sluice.Reason(r).String()
		require.NotEmpty(t, name)
		require.NotContains(t, name, "Reason(", "reason %d", r)
		require.False(t, seen[name], "two reasons are called %q", name)
		seen[name] = true
	}
	require.Equal(
		t, fmt.Sprintf("Reason(%d)", sluice.NumReasons), sluice.Reason(sluice.NumReasons).String(),
	)
	require.Equal(t, "Reason(255)", sluice.Reason(255).String())
}

func TestConfigError(t *testing.T) {
	var err error = &sluice.ConfigError{
		Package: "pfc", Type: "Config", Field: "Ports[3].Rate", Value: sluice.Rate(0),
		Rule: "must be positive",
	}
	require.EqualError(t, err, "pfc: Config.Ports[3].Rate = 0b/s: must be positive")
	var as *sluice.ConfigError
	require.True(t, errors.As(fmt.Errorf("wrapped: %w", err), &as))
	require.Equal(t, "Ports[3].Rate", as.Field)
	as.Type = ""
	require.EqualError(t, err, "pfc: Ports[3].Rate = 0b/s: must be positive", "of a function")
}

func TestFrameError(t *testing.T) {
	err := &sluice.FrameError{Package: "pfc", Offset: 12, Rule: "EtherType is not 0x8808"}
	require.EqualError(t, err, "pfc: frame offset 12: EtherType is not 0x8808")
}

// TestPortNumbers: Local is no port of a switch that has fewer than 65,535.
func TestPortNumbers(t *testing.T) {
	require.EqualValues(t, 0xffff, sluice.Local)
	require.EqualValues(t, 8, sluice.Classes)
}
