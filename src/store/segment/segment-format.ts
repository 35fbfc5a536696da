/** The version of the segment format. Each file of rows and the manifest name it. */
export const segmentFormatVersion = 1;
