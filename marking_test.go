package sluice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func TestMarkingCheck(t *testing.T) {
	half := sluice.Ratio{Num: 1, Den: 2}
	for _, test := range []struct {
		field string
		m     sluice.Marking
	}{
		{"", sluice.Marking{}},
		{"", sluice.Marking{KMin: 5, KMax: 5}},
		{"", sluice.Marking{KMin: 5, KMax: 5, PMax: half}},
		{"", sluice.Marking{
			KMax: sluice.MaxMarking, PMax: sluice.Ratio{Num: sluice.MaxRatio, Den: sluice.MaxRatio},
		}},
		{"KMax", sluice.Marking{KMin: 5}},
		{"KMax", sluice.Marking{PMax: half}},
		{"KMax", sluice.Marking{KMax: sluice.MaxMarking + 1, PMax: half}},
		{"KMax", sluice.Marking{KMax: -1, PMax: half}},
		{"KMin", sluice.Marking{KMin: -1, KMax: 5, PMax: half}},
		{"KMin", sluice.Marking{KMin: 6, KMax: 5, PMax: half}},
		{"PMax", sluice.Marking{KMin: 4, KMax: 5}},
		{"PMax", sluice.Marking{KMin: 4, KMax: 5, PMax: sluice.Ratio{Num: 3, Den: 2}}},
		{"PMax", sluice.Marking{KMin: 5, KMax: 5, PMax: sluice.Ratio{Num: 1}}},
	} {
		err := test.m.Check()
		if test.field == "" {
			require.NoError(t, err, "%+v", test.m)
			continue
		}
		var fault *sluice.ConfigError
		require.ErrorAs(t, err, &fault, "%+v", test.m)
		require.Equal(t, test.field, fault.Field, "%+v", test.m)
		require.NotEmpty(t, fault.Rule)
	}
}
