// SPDX-License-Identifier: Apache-2.0

// Curves draws what test/bench/scale has measured at several sizes: a line for each series of points, on logarithmic axes.
//
//	curves POINTS.json PICTURE.svg
package main

import (
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/contiv/contiv/test/bench/report"
)

// curve is a figure of points.
type curve struct {
	name  string
	of    func(report.Point) float64
	color color.Color
}

// panel is a part of the picture.
type panel struct {
	title, unit string
	from, to    float64 // powers of ten
	curves      []curve
}

var panels = []panel{
	{"until all agents know", "seconds", 0.001, 1000, []curve{
		{"all start", func(p report.Point) float64 { return p.Start }, color.RGBA{0x1f, 0x77, 0xb4, 0xff}},
		{"all restarted", func(p report.Point) float64 { return p.Restart }, color.RGBA{0x2c, 0xa0, 0x2c, 0xff}},
		{"store killed", func(p report.Point) float64 { return p.Store }, color.RGBA{0xd6, 0x27, 0x28, 0xff}},
		{"a change, p99", func(p report.Point) float64 { return p.Change }, color.RGBA{0x94, 0x67, 0xbd, 0xff}}}},
	{"memory", "megabytes", 10, 10_000, []curve{
		{"netmaster", func(p report.Point) float64 { return p.MasterMemory }, color.RGBA{0x1f, 0x77, 0xb4, 0xff}},
		{"store", func(p report.Point) float64 { return p.StoreMemory }, color.RGBA{0xd6, 0x27, 0x28, 0xff}}}},
	{"processor time at 100 changes a second", "% of a core", 1, 1000, []curve{
		{"netmaster", func(p report.Point) float64 { return p.MasterCPU }, color.RGBA{0x1f, 0x77, 0xb4, 0xff}},
		{"store", func(p report.Point) float64 { return p.StoreCPU }, color.RGBA{0xd6, 0x27, 0x28, 0xff}}}},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "curves:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want POINTS.json PICTURE.svg")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var points []report.Point
	if err := json.Unmarshal(text, &points); err != nil {
		return err
	}
	const width, height, margin = 13 * vg.Centimeter, 8 * vg.Centimeter, 4 * vg.Millimeter
	picture := vgsvg.New(2*width, vg.Length(len(panels))*height)
	picture.Push()
	picture.SetColor(color.White)
	paper := vg.Rectangle{Max: vg.Point{X: 2 * width, Y: vg.Length(len(panels)) * height}}
	picture.Fill(paper.Path())
	picture.Pop()
	all := draw.NewCanvas(picture, 2*width, vg.Length(len(panels))*height)
	for row, p := range panels {
		for column, by := range []struct {
			axis string
			is   func(report.Point) float64
			same func(report.Point) bool
		}{
			{"agents, with 50,000 endpoints", func(p report.Point) float64 { return float64(p.Agents) }, func(p report.Point) bool { return p.Endpoints == 50_000 }},
			{"endpoints, with 1,000 agents", func(p report.Point) float64 { return float64(p.Endpoints) }, func(p report.Point) bool { return p.Agents == 1000 }},
		} {
			at, err := p.draw(points, by.axis, by.is, by.same)
			if err != nil {
				return err
			}
			left, top := vg.Length(column)*width, vg.Length(row)*height
			at.Draw(draw.Crop(all, left+margin, left-width-margin, vg.Length(len(panels)-1)*height-top+margin, -top-margin))
		}
	}
	out, err := os.Create(args[1])
	if err != nil {
		return err
	}
	if _, err := picture.WriteTo(out); err != nil {
		return err
	}
	return out.Close()
}

// draw draws the panel over one axis, of the points that are the same otherwise.
func (p *panel) draw(points []report.Point, axis string, is func(report.Point) float64, same func(report.Point) bool) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.title, axis, p.unit
	out.X.Scale, out.Y.Scale = plot.LogScale{}, plot.LogScale{}
	out.X.Tick.Marker, out.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	out.Legend.Top, out.Legend.Left = true, true
	out.Add(plotter.NewGrid())
	for _, c := range p.curves {
		var line plotter.XYs
		for _, one := range points {
			if y := c.of(one); same(one) && y > 0 {
				line = append(line, plotter.XY{X: is(one), Y: y})
			}
		}
		if len(line) == 0 {
			continue
		}
		slices.SortFunc(line, func(a, b plotter.XY) int { return int(a.X - b.X) })
		drawn, dots, err := plotter.NewLinePoints(line)
		if err != nil {
			return nil, err
		}
		drawn.Color, dots.Color = c.color, c.color
		dots.Shape = draw.CircleGlyph{}
		out.Add(drawn, dots)
		out.Legend.Add(c.name, drawn, dots)
	}
	out.Y.Min, out.Y.Max = p.from, p.to
	return out, nil
}
