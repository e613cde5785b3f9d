package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Table is all records of one kind: JSON values under a prefix that ends in "/", each at prefix+ID.
// An ID may contain slashes. The zero Table is not useful; Table is a value and holds no data.
type Table[T any] struct{ Prefix string }

// Record is one row of a table.
type Record[T any] struct {
	ID       string
	Value    T
	Revision Revision
	Created  Revision
}

// Key is where the record of an ID is.
func (t Table[T]) Key(id string) string { return t.Prefix + id }

// ID is the ID of a key; ok is false when the key is not of this table.
func (t Table[T]) ID(key string) (id string, ok bool) {
	id, ok = strings.CutPrefix(key, t.Prefix)
	return id, ok && id != ""
}

// Decode makes a record of an item of this table.
func (t Table[T]) Decode(i Item) (Record[T], error) {
	id, ok := t.ID(i.Key)
	if !ok {
		return Record[T]{}, fmt.Errorf("key %s is not under %s", i.Key, t.Prefix)
	}
	r := Record[T]{ID: id, Revision: i.Revision, Created: i.Created}
	if err := json.Unmarshal(i.Value, &r.Value); err != nil {
		return Record[T]{}, fmt.Errorf("record %s: %w", i.Key, err)
	}
	return r, nil
}

// Read returns a record, or ErrNotFound.
func (t Table[T]) Read(ctx context.Context, s Store, id string) (Record[T], error) {
	i, err := s.Read(ctx, t.Key(id))
	if err != nil {
		return Record[T]{}, err
	}
	return t.Decode(i)
}

// List returns all records, ordered by ID, and the revision at which the list is true. Records that cannot be read are
// left out and named by the error, which comes with all the others.
func (t Table[T]) List(ctx context.Context, s Store) ([]Record[T], Revision, error) {
	items, rev, err := s.List(ctx, t.Prefix)
	if err != nil {
		return nil, 0, err
	}
	var errs []error
	records := make([]Record[T], 0, len(items))
	for _, i := range items {
		r, err := t.Decode(i)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		records = append(records, r)
	}
	return records, rev, errors.Join(errs...)
}

// Create adds the creation of a record to a transaction: it conflicts if there is one with this ID.
func (t Table[T]) Create(tx *Tx, id string, value T) error {
	tx.Require(t.Key(id), 0)
	return t.Put(tx, id, value)
}

// Update adds the change of a record to a transaction: it conflicts unless the record is still as it was read.
func (t Table[T]) Update(tx *Tx, r Record[T]) error {
	tx.Require(t.Key(r.ID), r.Revision)
	return t.Put(tx, r.ID, r.Value)
}

// Put adds the unconditional writing of a record to a transaction.
func (t Table[T]) Put(tx *Tx, id string, value T) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("record %s: %w", t.Key(id), err)
	}
	tx.Put(t.Key(id), data)
	return nil
}

// Delete adds the unconditional deletion of a record to a transaction.
func (t Table[T]) Delete(tx *Tx, id string) { tx.Delete(t.Key(id)) }
