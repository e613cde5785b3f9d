// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"github.com/contiv/contiv/api/rates"
	"github.com/contiv/contiv/console/theme"
)

// Spark draws the last width values of a series with the characters of a theme, as rates.Spark does.
func Spark(t *theme.Theme, series []float64, width int) string {
	return rates.Spark(t.Glyphs.Spark, series, width)
}

// SparkTo is Spark with a scale from 0 to top.
func SparkTo(t *theme.Theme, series []float64, width int, top float64) string {
	return rates.SparkTo(t.Glyphs.Spark, series, width, top)
}
