package widget

import "github.com/contiv/contiv/console/theme"

// Spark draws the last width values of a series, the newest at the right, as high as the highest of them; fewer values
// leave the left blank.
func Spark(t *theme.Theme, series []float64, width int) string {
	levels := []rune(t.Glyphs.Spark)
	series = series[max(0, len(series)-width):]
	top := 0.0
	for _, v := range series {
		top = max(top, v)
	}
	out := make([]rune, 0, width)
	for range width - len(series) {
		out = append(out, ' ')
	}
	for _, v := range series {
		level := 0
		if top > 0 {
			level = int(v / top * float64(len(levels)-1))
		}
		if v > 0 {
			level = max(level, 1)
		}
		out = append(out, levels[level])
	}
	return string(out)
}
