package loop

import (
	"fmt"
	"strconv"
	"strings"
)

// USD is an amount of money in pico-dollars (10⁻¹² of a dollar). In this unit the price of one
// token, times the client's multipliers, is a whole number, so sums are exact. The range is about
// ±9.2 million dollars (R58, R59).
type USD int64

// Dollar and Cent are $1 and $0.01 in pico-dollars.
const (
	Dollar USD = 1_000_000_000_000
	Cent       = Dollar / 100
)

// maxDollars bounds every amount that is parsed, set as a ceiling or summed, so that USD does not
// overflow and every written amount can be parsed again.
const maxDollars = 1_000_000

// ParseUSD parses a plain decimal number of dollars such as "25", "0.01" or "12.5". It rejects
// signs, exponents, a trailing point, more than 12 decimals and amounts over one million.
func ParseUSD(s string) (USD, error) {
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "" && frac != "" { // .5 is a common form
		whole = "0"
	}
	if whole == "" || len(frac) > 12 || strings.HasSuffix(s, ".") ||
		strings.Trim(whole+frac, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not an amount in dollars", s)
	}
	w, err := strconv.ParseInt(whole, 10, 64)
	f, _ := strconv.ParseInt(frac+strings.Repeat("0", 12-len(frac)), 10, 64)
	if err != nil || w > maxDollars || w == maxDollars && f > 0 {
		return 0, fmt.Errorf("%q is over %d dollars", s, maxDollars)
	}
	return USD(w)*Dollar + USD(f), nil
}

// Plus returns u+v, but at most one million dollars.
func (u USD) Plus(v USD) USD { return min(u+v, maxDollars*Dollar) }

// minus returns u-v, but at least zero.
func (u USD) minus(v USD) USD { return max(u-v, 0) }

// Cents returns the amount in cents, rounded half up. The 80 % gate compares ceilings in cents
// (R92).
func (u USD) Cents() int64 { return int64((u + Cent/2) / Cent) }

// String returns the amount in dollars with two decimals and no dollar sign, for example "25.43".
func (u USD) String() string {
	c := u.Cents()
	return fmt.Sprintf("%d.%02d", c/100, c%100)
}

// Decimal returns the exact amount in dollars without trailing zeros.
func (u USD) Decimal() string {
	sign, n := "", uint64(u)
	if u < 0 {
		sign, n = "-", -n
	}
	s := sign + strconv.FormatUint(n/uint64(Dollar), 10)
	if rest := n % uint64(Dollar); rest > 0 {
		// the added dollar keeps the leading zeros
		s += "." + strings.TrimRight(strconv.FormatUint(uint64(Dollar)+rest, 10)[1:], "0")
	}
	return s
}

// MarshalJSON writes the exact amount in dollars as a JSON number (R109).
func (u USD) MarshalJSON() ([]byte, error) { return []byte(u.Decimal()), nil }

// UnmarshalJSON reads a JSON number of dollars. It rounds a number with an exponent or more than
// twelve decimals, which another program may have written, to the nearest pico-dollar.
func (u *USD) UnmarshalJSON(b []byte) error {
	v, err := ParseUSD(string(b))
	if err != nil {
		f, ferr := strconv.ParseFloat(string(b), 64)
		if ferr != nil || f < 0 || f > maxDollars {
			return err
		}
		v = USD(f*float64(Dollar) + 0.5)
	}
	*u = v
	return nil
}
