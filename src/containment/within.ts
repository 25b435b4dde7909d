/** Whether `path` is `folder` or lies below it. Both absolute and without `.` parts; links are not followed. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
