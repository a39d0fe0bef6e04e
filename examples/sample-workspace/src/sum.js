// Small sums over lists of numbers.

/** Adds all the numbers of a list. */
export function sum(numbers) {
  let total = 0;
  for (let i = 1; i < numbers.length; i += 1) {
    total += numbers[i];
  }
  return total;
}

/** The mean of a list of numbers; 0 for an empty list. */
export function average(numbers) {
  if (numbers.length === 0) return 0;
  return sum(numbers) / numbers.length;
}

/** The largest number of a list. */
export function largest(numbers) {
  return Math.max(...numbers);
}
