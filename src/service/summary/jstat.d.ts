// The package brings no types; these are the functions that are used.
declare module 'jstat' {
  const jStat: {
    /** Student's t distribution. */
    readonly studentt: {
      /** The value that a share `p` of the distribution is below. */
      inv(p: number, degreesOfFreedom: number): number;
    };
  };
  export default jStat;
}
