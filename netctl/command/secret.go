// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/netctl/term"
)

// secretOptions has the flag for the source of a secret.
type secretOptions struct{ stdin bool }

func (o *secretOptions) register(c *cobra.Command, what string) {
	c.Flags().BoolVar(&o.stdin, what+"-stdin", false, "read the "+what+" from a line of standard input instead of prompting")
}

// known asks for an existing secret.
func (o *secretOptions) known(f *Factory, prompt string) (string, error) {
	if o.stdin {
		return secretLine(f)
	}
	return secret(f, prompt)
}

// chosen asks for a new secret. A user types it twice.
func (o *secretOptions) chosen(f *Factory) (string, error) {
	if o.stdin {
		return secretLine(f)
	}
	first, err := secret(f, "New password: ")
	if err != nil {
		return "", err
	}
	second, err := secret(f, "Once more: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", term.Exitf(term.Server, "the passwords differ; nothing was changed")
	}
	return first, nil
}

// maxSecret bounds a line of the standard input, in bytes.
const maxSecret = 4096

// secretLine reads a line of the standard input.
func secretLine(f *Factory) (string, error) {
	line, err := term.Line(io.LimitReader(f.In, maxSecret))
	switch {
	case errors.Is(err, io.EOF) || err == nil && line == "":
		return "", term.Exitf(term.Usage, "standard input has no line")
	case err != nil:
		return "", local(fmt.Errorf("read the standard input: %w", err))
	case len(line) == maxSecret:
		return "", term.Exitf(term.Usage, "the line of standard input has more than %d bytes", maxSecret-1)
	}
	return line, nil
}

// secret asks for a line that the terminal does not show.
func secret(f *Factory, prompt string) (string, error) {
	if err := printf(f.Out, "%s", prompt); err != nil {
		return "", err
	}
	text, err := f.Secret()
	if errors.Is(err, term.ErrNoTerminal) {
		return "", local(fmt.Errorf("%w (see --help for the flag that reads it from standard input)", err))
	}
	if err != nil {
		return "", local(err)
	}
	return text, printf(f.Out, "\n")
}
