package loop

import (
	"fmt"
	"strconv"
	"strings"
)

// USD is an amount of money in pico-dollars (10⁻¹² of a dollar), so that the price of one token,
// times the client's multipliers, stays a whole number and no sum drifts. It holds about ±9.2
// million dollars (R58, R59).
type USD int64

// Dollar is one dollar; Cent a hundredth of it.
const (
	Dollar USD = 1_000_000_000_000
	Cent       = Dollar / 100
)

// maxDollars bounds every amount that is read, raised to or summed up, far below the overflow of
// USD, so that everything written can be read again.
const maxDollars = 1_000_000

// ParseUSD reads a plain decimal number of dollars such as "25", "0.01" or "12.5". It refuses
// signs, exponents, more than 12 decimals and amounts over one million.
func ParseUSD(s string) (USD, error) {
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "" && frac != "" { // .5 as people write it
		whole = "0"
	}
	if whole == "" || len(frac) > 12 || strings.HasSuffix(s, ".") || !digits(whole) ||
		!digits(frac) {
		return 0, fmt.Errorf("%q is not an amount in dollars", s)
	}
	w, err := strconv.ParseInt(whole, 10, 64)
	f, _ := strconv.ParseInt(frac+strings.Repeat("0", 12-len(frac)), 10, 64)
	if err != nil || w > maxDollars || w == maxDollars && f > 0 {
		return 0, fmt.Errorf("%q is over %d dollars", s, maxDollars)
	}
	return USD(w)*Dollar + USD(f), nil
}

// Plus is the sum of two amounts, one million dollars at most.
func (u USD) Plus(v USD) USD { return min(u+v, maxDollars*Dollar) }

// minus is the difference of two amounts, at least zero.
func (u USD) minus(v USD) USD { return max(u-v, 0) }

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// Cents rounds half up to whole cents, the unit in which ceilings are compared for the 80 % gate
// (R92).
func (u USD) Cents() int64 { return int64((u + Cent/2) / Cent) }

// String is the amount as people read it: dollars with two decimals, no sign, as in "25.43".
func (u USD) String() string {
	c := u.Cents()
	return fmt.Sprintf("%d.%02d", c/100, c%100)
}

// Decimal is the exact amount without trailing zeros.
func (u USD) Decimal() string {
	sign, n := "", uint64(u)
	if u < 0 {
		sign, n = "-", -n
	}
	s := sign + strconv.FormatUint(n/uint64(Dollar), 10)
	if rest := n % uint64(Dollar); rest > 0 {
		// its zeros in front stay
		s += "." + strings.TrimRight(strconv.FormatUint(uint64(Dollar)+rest, 10)[1:], "0")
	}
	return s
}

// MarshalJSON writes the exact amount in dollars as a JSON number (R109).
func (u USD) MarshalJSON() ([]byte, error) { return []byte(u.Decimal()), nil }

// UnmarshalJSON reads a JSON number of dollars. An exponent or more than twelve decimals, as
// another program may have written them, is rounded to the nearest pico-dollar.
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
