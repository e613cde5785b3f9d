// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/setup"
)

func newSnapshot() *cobra.Command {
	var p place
	cmd := &cobra.Command{Use: "snapshot", Short: "Save the cluster's store, and restore it", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	p.flags(cmd.PersistentFlags())
	cmd.AddCommand(newSnapshotSave(&p), newSnapshotLs(&p), newSnapshotVerify(), newSnapshotRestore(&p), newSnapshotExtract(), newSnapshotSucceed(&p), newSnapshotKey(), newSnapshotSchedule(&p))
	return cmd
}

// backup returns the host and the settings of its store.
func (p *place) backup() (*setup.Host, *setup.Backup, error) {
	h, err := p.host()
	if err != nil {
		return nil, nil, err
	}
	b, err := h.Backup()
	return h, b, err
}

// quiet returns a logger for stores whose errors are returned.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newSnapshotSave(p *place) *cobra.Command {
	var dir, file string
	var key bool
	cmd := &cobra.Command{Use: "save", Short: "Save the current content of the store", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		_, b, err := p.backup()
		if err != nil {
			return err
		}
		if dir == "" {
			dir = b.Schedule.Dir
		}
		head := b.Header(build.Info().Version)
		if head.AuthorityKey, err = sealed(b, key, file); err != nil {
			return err
		}
		from, err := b.Open(quiet())
		if err != nil {
			return err
		}
		defer func() { _ = from.Close() }()
		source, can := from.(snapshot.Source)
		if !can {
			return fmt.Errorf("%s does not support snapshots", from)
		}
		made, err := snapshot.Save(cmd.Context(), source, dir, snapshot.ByHand, head)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "saved %s: %s\n", made.Path, described(&made))
		return err
	}}
	f := cmd.Flags()
	f.StringVar(&dir, "dir", "", "directory of the snapshot (default: that of scheduled snapshots)")
	f.BoolVar(&key, "with-key", false, "include the authority's key, encrypted with a passphrase; agents need it to connect to a cluster that is restored on new machines")
	f.StringVar(&file, "passphrase-file", "", "file with that passphrase, at least 12 characters, in its first line")
	return cmd
}

// sealed returns the authority's key, encrypted; "" if it was not requested.
func sealed(b *setup.Backup, key bool, file string) (string, error) {
	if !key {
		if file != "" {
			return "", errors.New("--passphrase-file requires --with-key: add it, or omit the file")
		}
		return "", nil
	}
	phrase, err := passphrase(file)
	if err != nil {
		return "", err
	}
	a, err := b.Trust.Authority()
	if err != nil {
		return "", fmt.Errorf("--with-key: %w", err)
	}
	certificate, text, err := a.PEM()
	if err != nil {
		return "", err
	}
	return snapshot.SealKey(certificate, text, phrase)
}

// passphrase returns the first line of a file.
func passphrase(file string) (string, error) {
	if file == "" {
		return "", errors.New("the authority's key is encrypted with a passphrase: add --passphrase-file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--passphrase-file: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

// described describes a snapshot in words.
func described(i *snapshot.Info) string {
	out := fmt.Sprintf("revision %d of %s, %s", i.Revision, i.Created.Format(time.RFC3339), humanize.IBytes(uint64(i.Size)))
	if i.Keys > 0 {
		out = fmt.Sprintf("%d keys, ", i.Keys) + out
	}
	return out
}

func newSnapshotLs(p *place) *cobra.Command {
	return &cobra.Command{Use: "ls [DIR]", Short: "List snapshots: those of this host, or of a directory", Args: cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			_, b, err := p.backup()
			if err != nil {
				return err
			}
			args = []string{b.Schedule.Dir}
		}
		all, unread, err := snapshot.List(args[0])
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "Created\tRevision\tKeys\tSize\tStore\tIncarnation\tKey\tFile")
		for _, i := range all {
			id, key := "none", "no"
			if i.Incarnation != nil {
				id = i.Incarnation.ID
			}
			if i.AuthorityKey != "" {
				key = "yes"
			}
			_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\n", i.Created.Format(time.RFC3339), i.Revision, i.Keys, humanize.IBytes(uint64(i.Size)), i.Store, id, key, i.Path)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		var bad []error
		for _, why := range unread {
			bad = append(bad, why)
		}
		slices.SortFunc(bad, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return errors.Join(bad...)
	}}
}

func newSnapshotVerify() *cobra.Command {
	return &cobra.Command{Use: "verify FILE...", Short: "Verify the checksums of snapshots, and open them as a restore does", Args: cobra.MinimumNArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		var bad []error
		for _, path := range args {
			info, err := snapshot.Verify(path)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s is intact: %s\n", path, described(&info))
		}
		return errors.Join(bad...)
	}}
}

func newSnapshotRestore(p *place) *cobra.Command {
	var replace, other bool
	cmd := &cobra.Command{Use: "restore FILE", Short: "Restore a snapshot into the store of this host's netmaster, which must not run", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		h, b, err := p.backup()
		if err != nil {
			return err
		}
		known, err := h.ClusterFile().Read()
		if err != nil {
			return err
		}
		info, err := snapshot.Open(args[0])
		if err != nil {
			return err
		}
		if own := snapshot.Authority(b.Trust); own != info.Authority && !other {
			return fmt.Errorf("authority: the snapshot is of a cluster whose authority is %s, and this host trusts %s, so its agents and secrets would not match; use a snapshot of this cluster, or add --another-authority", none(info.Authority), none(own))
		}
		done, err := restored(cmd.Context(), b, args[0], known.Incarnation, replace)
		if err != nil {
			return err
		}
		if err := h.ClusterFile().Write(incarnation.Known{Incarnation: done.Successor}); err != nil {
			return err
		}
		return printRestored(cmd.OutOrStdout(), b, &done)
	}}
	f := cmd.Flags()
	f.BoolVar(&replace, "replace", false, "allow existing data: an embedded store's is moved aside, a Consul's is replaced, including the keys of other programs")
	f.BoolVar(&other, "another-authority", false, "allow a snapshot of a cluster with another authority")
	return cmd
}

func none(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// restored restores a snapshot, in the way of the store's kind.
func restored(ctx context.Context, b *setup.Backup, path string, known record.Incarnation, replace bool) (snapshot.Restored, error) {
	switch b.Kind {
	case snapshot.Embedded:
		return snapshot.Restore(ctx, path, b.Member, known, replace)
	case snapshot.Consul:
		if !replace {
			return snapshot.Restored{}, errors.New("a restore replaces all data of the Consul cluster, including that of other programs: stop all netmasters, and add --replace")
		}
		to, err := b.Open(quiet())
		if err != nil {
			return snapshot.Restored{}, err
		}
		defer func() { _ = to.Close() }()
		running, can := to.(snapshot.Restorer)
		if !can {
			return snapshot.Restored{}, fmt.Errorf("%s does not support snapshots", to)
		}
		return snapshot.RestoreInto(ctx, path, b.Kind, known, running)
	}
	return snapshot.Restored{}, fmt.Errorf("restore an external etcd on the machines of its members: stop all netmasters, run contiv snapshot extract %s etcd.db, "+
		"etcdutl snapshot restore etcd.db there (--bump-revision 1000000000 --mark-compacted), start it, and then call contiv snapshot succeed", path)
}

func printRestored(out io.Writer, b *setup.Backup, done *snapshot.Restored) error {
	_, err := fmt.Fprintf(out, "restored %s: %s\n", done.Path, described(&done.Info))
	if was := done.Successor.Predecessors; len(was) > 0 {
		_, _ = fmt.Fprintf(out, "the store is incarnation %s now, which follows %s\n", done.Successor.ID, was[0])
	} else {
		_, _ = fmt.Fprintf(out, "the store is incarnation %s now\n", done.Successor.ID)
	}
	if done.Aside != "" {
		_, _ = fmt.Fprintf(out, "the previous data are in %s: remove them when they are not needed\n", done.Aside)
	}
	if b.Kind == snapshot.Embedded {
		_, _ = fmt.Fprintf(out, "next: systemctl start contiv-netmaster; hosts with other members of the store lose their data and join again (docs/how-to/backup.md)\n")
	}
	return err
}

func newSnapshotExtract() *cobra.Command {
	return &cobra.Command{Use: "extract FILE TO", Short: "Extract the store's native snapshot into a file, for the store's own tools", Args: cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
		if _, err := os.Lstat(args[1]); err == nil {
			return fmt.Errorf("%s exists already: name another file", args[1])
		}
		info, body, err := snapshot.Extract(args[0], filepath.Dir(args[1]))
		if err != nil {
			return err
		}
		if err := os.Rename(body, args[1]); err != nil {
			return errors.Join(err, os.Remove(body))
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: %s\n", args[1], described(&info))
		return err
	}}
}

func newSnapshotSucceed(p *place) *cobra.Command {
	return &cobra.Command{Use: "succeed", Short: "Record that a store restored by its own tools succeeds the saved one; run it before netmasters start", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, b, err := p.backup()
			if err != nil {
				return err
			}
			known, err := h.ClusterFile().Read()
			if err != nil {
				return err
			}
			if b.Kind == snapshot.Embedded {
				return errors.New("an embedded store needs no contiv snapshot succeed: contiv snapshot restore includes it")
			}
			var s store.Store
			if s, err = b.Open(quiet()); err != nil {
				return err
			}
			defer func() { _ = s.Close() }()
			next, err := snapshot.Succeed(cmd.Context(), s, known.Incarnation)
			if err == nil {
				err = h.ClusterFile().Write(incarnation.Known{Incarnation: next})
			}
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "the store is incarnation %s now\n", next.ID)
			}
			return err
		}}
}

func newSnapshotKey() *cobra.Command {
	var file string
	cmd := &cobra.Command{Use: "key FILE", Short: "Print the authority's certificate and key of a snapshot that was saved --with-key", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		info, err := snapshot.Open(args[0])
		if err != nil {
			return err
		}
		phrase, err := passphrase(file)
		if err != nil {
			return err
		}
		text, err := info.OpenKey(phrase)
		if err == nil {
			_, err = cmd.OutOrStdout().Write(text)
		}
		return err
	}}
	cmd.Flags().StringVar(&file, "passphrase-file", "", "file with the passphrase in its first line")
	return cmd
}

func newSnapshotSchedule(p *place) *cobra.Command {
	var every time.Duration
	var keep int
	cmd := &cobra.Command{Use: "schedule", Short: "Show or change how often this host's netmaster saves the store, and how many snapshots it keeps", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		h, b, err := p.backup()
		if err != nil {
			return err
		}
		change := setup.Env{}
		if cmd.Flags().Changed("every") {
			change["CONTIV_NETMASTER_SNAPSHOT_EVERY"], b.Schedule.Interval = every.String(), every
		}
		if cmd.Flags().Changed("keep") {
			change["CONTIV_NETMASTER_SNAPSHOT_KEEP"], b.Schedule.Keep = strconv.Itoa(keep), keep
		}
		if err := b.Schedule.Check(); err != nil {
			return fmt.Errorf("--%w", err)
		}
		out := cmd.OutOrStdout()
		if len(change) > 0 {
			path, err := h.Reschedule(change)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(out, "wrote %s; it takes effect when netmaster starts: systemctl restart contiv-netmaster\n", path)
		}
		how := fmt.Sprintf("every %s, and keeps %d", b.Schedule.Interval, b.Schedule.Keep)
		if b.Schedule.Interval == 0 {
			how = "never"
		}
		_, err = fmt.Fprintf(out, "netmaster saves the store in %s: %s\n", b.Schedule.Dir, how)
		return err
	}}
	f := cmd.Flags()
	f.DurationVar(&every, "every", 0, "interval between snapshots (0s: no snapshots)")
	f.IntVar(&keep, "keep", 0, "number of snapshots to keep")
	return cmd
}
