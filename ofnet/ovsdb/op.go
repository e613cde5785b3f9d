// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"encoding/json"
	"fmt"
)

// Op is one operation of a transaction (RFC 7047 section 5.2), as a JSON object.
type Op map[string]any

// Row is the content of columns in an Insert or Update.
type Row map[string]any

// Cond is one condition of a where clause: column, function, value.
type Cond [3]any

// Is is the condition that a column equals a value.
func Is(column string, value any) Cond { return Cond{column, "==", value} }

func where(conds []Cond) []Cond { return append([]Cond{}, conds...) }

// Insert adds a row; other operations of the transaction refer to it by name (unless name is empty).
func Insert(table string, name Named, row Row) Op {
	op := Op{"op": "insert", "table": table, "row": row}
	if name != "" {
		op["uuid-name"] = string(name)
	}
	return op
}

// Update sets columns of all rows that meet the conditions.
func Update(table string, row Row, conds ...Cond) Op {
	return Op{"op": "update", "table": table, "row": row, "where": where(conds)}
}

// Mutate inserts into or deletes from a set column of all rows that meet the conditions; mutator is "insert" or
// "delete".
func Mutate(table, column, mutator string, value Set, conds ...Cond) Op {
	return Op{"op": "mutate", "table": table, "where": where(conds), "mutations": []any{[]any{column, mutator, value}}}
}

// Guard makes the transaction fail with ErrWaitFailed unless the rows that meet the conditions have exactly the given
// content at once (RFC 7047 section 5.2.6, wait with timeout 0).
func Guard(table string, columns []string, rows []Row, conds ...Cond) Op {
	return Op{"op": "wait", "table": table, "timeout": 0, "columns": columns, "until": "==",
		"rows": append([]Row{}, rows...), "where": where(conds)}
}

// Result is the answer to one operation.
type Result struct {
	UUID  UUID // of an Insert
	Count int  // rows that an Update, Mutate or Delete met
}

// decodeResults reads the result array of a transact answer: one entry per operation, and one more if the commit itself failed (RFC 7047
// section 4.1.3). n is the number of operations that were sent.
func decodeResults(raw json.RawMessage, n int) ([]Result, error) {
	var answers []*struct {
		UUID    json.RawMessage `json:"uuid"`
		Count   int             `json:"count"`
		Error   *string         `json:"error"`
		Details string          `json:"details"`
	}
	if err := json.Unmarshal(raw, &answers); err != nil {
		return nil, fmt.Errorf("%w: transaction results: %w", ErrMalformed, err)
	}
	out := make([]Result, 0, n)
	for i, a := range answers {
		if a == nil {
			continue // an operation after the one that failed
		}
		if a.Error != nil {
			op := i
			if i >= n {
				op = -1
			}
			return nil, &Error{Name: *a.Error, Details: a.Details, Op: op}
		}
		r := Result{Count: a.Count}
		if len(a.UUID) > 0 {
			id, err := decodeUUID(a.UUID)
			if err != nil {
				return nil, err
			}
			r.UUID = id
		}
		out = append(out, r)
	}
	if len(out) < n {
		return nil, fmt.Errorf("%w: %d results for %d operations", ErrMalformed, len(out), n)
	}
	return out, nil
}
