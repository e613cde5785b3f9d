// SPDX-License-Identifier: Apache-2.0

package rates

// Spark draws the last width values of a series as characters, the newest value at the right, scaled to the highest; fewer values leave the
// left blank. A value above 0 never gets the lowest character.
func Spark(levels string, series []float64, width int) string {
	return SparkTo(levels, series, width, Top(series[max(0, len(series)-width):]))
}

// Top is the highest value of all series; 0 if there is none above 0.
func Top(all ...[]float64) (top float64) {
	for _, series := range all {
		for _, v := range series {
			top = max(top, v)
		}
	}
	return top
}

// SparkTo is Spark with a scale from 0 to top, which several series can share.
func SparkTo(levels string, series []float64, width int, top float64) string {
	steps := []rune(levels)
	series = series[max(0, len(series)-width):]
	out := make([]rune, 0, width)
	for range width - len(series) {
		out = append(out, ' ')
	}
	for _, v := range series {
		level := 0
		if top > 0 {
			level = min(len(steps)-1, int(v/top*float64(len(steps)-1)))
		}
		if v > 0 {
			level = max(level, 1)
		}
		out = append(out, steps[level])
	}
	return string(out)
}
