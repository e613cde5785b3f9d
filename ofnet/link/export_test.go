// SPDX-License-Identifier: Apache-2.0

package link

// Note is what a Host does before it changes a setting.
func Note(l Ledger, s Setting) error { return l.record(s) }
