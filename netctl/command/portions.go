// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// portions applies objects, or deletes them, in as few requests as the store's transactions permit: each request is applied completely or
// not at all, after those that it needs.
type portions struct {
	c        *client.Client
	dry      bool
	selector string              // that the applied objects must match
	results  []model.ApplyResult // of the applied objects, in order
	left     []placed            // the others
	sent     int                 // number of successful requests
	rev      client.Revision     // of the last of them
}

// placed is an object of a request with its position in the order of dependencies.
type placed struct {
	model.ApplyObject
	key  string
	rank int
	gone bool // it must be deleted
}

// whole is the number of objects that are first tried in one request; firstPortion is where the search for the size of a transaction starts
// if there are more. An object takes two store operations or more.
const (
	whole        = 256
	firstPortion = 60
)

// send applies the objects, and then deletes those of gone. After an error, results has the applied objects and left the others.
func (p *portions) send(ctx context.Context, objects, gone []model.ApplyObject) error {
	if n := len(objects) + len(gone); n <= whole || p.dry { // a dry run needs no transaction
		err := p.request(ctx, objects, gone)
		if err == nil || !client.IsCode(err, model.CodeTooLarge) || n == 1 || p.dry {
			return err
		}
	}
	first, err := inOrder(objects, false)
	if err != nil {
		return err
	}
	last, err := inOrder(gone, true)
	if err != nil {
		return err
	}
	p.left = append(first, last...)
	size := firstPortion
	for len(p.left) > 0 {
		n := min(size, len(p.left))
		put, del := plainObjects(p.left[:n])
		err := p.request(ctx, put, del)
		if n > 1 && client.IsCode(err, model.CodeTooLarge) {
			size = n / 2
			continue
		}
		if err != nil {
			return err
		}
		p.left = p.left[n:]
	}
	return nil
}

func (p *portions) request(ctx context.Context, objects, gone []model.ApplyObject) error {
	request := model.ApplyRequest{Objects: objects, Prune: gone, DryRun: p.dry, Selector: p.selector}
	if len(objects) == 0 {
		request.Objects, request.Prune, request.Delete = gone, nil, true
	}
	results, rev, err := p.c.Apply(ctx, request)
	if err != nil {
		return err
	}
	p.results, p.rev = append(p.results, results...), max(p.rev, rev)
	p.sent++
	return nil
}

// report prints the result for every object, if some were applied.
func (p *portions) report(f *Factory, format term.Format) error {
	list := changedObjects(p.results, p.dry, p.rev)
	if p.sent > 0 { // otherwise nothing was applied, as the error says
		for _, o := range p.left {
			list = append(list, changedObject{Kind: o.Kind, Key: o.key, Action: notApplied})
		}
	}
	return f.changed(format, list, (*changedObject).line)
}

// notApplied is the result of objects after a refused one.
const notApplied model.Action = "not applied"

// incomplete returns the error of send, with the objects that were nevertheless applied.
func (p *portions) incomplete(err error) error {
	if p.sent == 0 {
		return err
	}
	return term.Exitf(term.Server, "%d objects are applied, in %d transactions; %d are not: %w", len(p.results), p.sent, len(p.left), err)
}

// inOrder sorts objects after their dependencies, or, for removal, before them. It refuses an object that occurs twice, which would be
// unnoticed in two requests.
func inOrder(objects []model.ApplyObject, remove bool) ([]placed, error) {
	ranks := map[*model.Kind]int{}
	for i, k := range model.Order() {
		ranks[k] = i
	}
	out := make([]placed, len(objects))
	seen := map[[2]string]bool{}
	for i, o := range objects {
		k, err := kindOf(o.Kind)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(o.Fields)
		if err != nil {
			return nil, local(err)
		}
		object := k.New()
		var wrong *json.UnmarshalTypeError
		if err := json.Unmarshal(text, object); err != nil && !errors.As(err, &wrong) { // the server reports other errors better
			return nil, local(err)
		}
		out[i] = placed{o, object.ObjectKey(), ranks[k], remove}
		if id := [2]string{k.Name, out[i].key}; seen[id] {
			return nil, term.Exitf(term.Usage, "duplicate %s %s", k.Name, out[i].key)
		} else {
			seen[id] = true
		}
	}
	slices.SortStableFunc(out, func(a, b placed) int {
		if remove {
			a, b = b, a
		}
		return cmp.Compare(a.rank, b.rank)
	})
	return out, nil
}

// plainObjects returns the objects of a portion: those to apply, and those to delete.
func plainObjects(list []placed) (objects, gone []model.ApplyObject) {
	for _, o := range list {
		if o.gone {
			gone = append(gone, o.ApplyObject)
		} else {
			objects = append(objects, o.ApplyObject)
		}
	}
	return objects, gone
}
